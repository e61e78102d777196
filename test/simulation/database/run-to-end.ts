import { drainMicrotasks } from "bun:jsc"
import type { Scheduler } from "../scheduler.ts"

/** Steps until `work` has ended. Throws what it rejects with. */
export function runToEnd(scheduler: Scheduler, work: Promise<void>): void {
  let ended: { readonly error: unknown } | "WELL" | null = null
  work.then(
    () => {
      ended = "WELL"
    },
    (error) => {
      ended = { error }
    },
  )
  drainMicrotasks()
  while (ended === null) if (!scheduler.step()) throw new Error("nothing is left to do, and the work has not ended")
  if (ended !== "WELL") throw (ended as { readonly error: unknown }).error
}
