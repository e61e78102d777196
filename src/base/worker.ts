/** Background work of a running service: started once, stopped before the database closes. */
import { bugFields, type Log } from "./log.ts"
import type { Machine } from "./machine.ts"

export interface Worker {
  readonly name: string
  start(): void
  /** Resolves when the current round has ended and no other will begin. */
  stop(): Promise<void>
}

interface PeriodicParts {
  readonly machine: Pick<Machine, "after">
  readonly log: Log
  /** True: the first round begins with `start`, not `everyMs` after it. */
  readonly atOnce?: boolean
}

/**
 * Runs `round` every `everyMs` after the end of the one before; if `everyMs` is a function, it is called before each wait. An error of a
 * round is logged completely, and the next round still runs. The same error of the rounds after it is not logged again until one succeeds.
 */
export function periodic(
  name: string,
  everyMs: number | (() => number),
  round: () => Promise<unknown>,
  { machine, log, atOnce = false }: PeriodicParts,
): Worker {
  let cancel = () => {}
  let running: Promise<void> = Promise.resolve()
  let stopped = false
  /** Name and message of the error that was logged last; null after a round that succeeded. */
  let logged: string | null = null
  const arm = () => {
    cancel = machine.after(typeof everyMs === "number" ? everyMs : everyMs(), run)
  }
  const run = () => {
    running = runOnce()
  }
  const failed = (error: unknown) => {
    const text = String(error)
    if (text !== logged) log.error("worker_failed", { worker: name, ...bugFields(error) })
    logged = text
  }
  async function runOnce(): Promise<void> {
    try {
      await round()
      logged = null
    } catch (error) {
      failed(error)
    }
    if (!stopped) arm()
  }
  return {
    name,
    start: atOnce ? run : arm,
    stop: async () => {
      stopped = true
      cancel()
      await running
    },
  }
}
