/**
 * Handles requests of agent mode at the same time on an existing data directory. When all of them act, it kills itself: before the commit
 * of their units, or after the commit and before the first response.
 */

import { realMachine } from "../../src/base/machine.ts"
import { routes } from "../../src/server/app.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { clockAt, testServiceOn } from "../fixtures/service.ts"

export interface KilledService {
  readonly directory: string
  /** Milliseconds. */
  readonly now: number
  readonly settings: Readonly<Record<string, string>>
  readonly requests: readonly KilledRequest[]
  readonly killed: "BEFORE_COMMIT" | "AFTER_COMMIT"
}

export interface KilledRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const requestOf = ({ url, headers, body }: KilledRequest) => new Request(url, { method: "POST", headers, body })

if (import.meta.main) {
  const { directory, now, settings, requests, killed } = JSON.parse(await Bun.stdin.text()) as KilledService
  // A batch of units ends after some milliseconds. With a clock that does not move, one commit has all units.
  Object.assign(realMachine, { monotonic: () => 0 })
  const { service } = await testServiceOn(directory, clockAt(now), settings)
  const app = routes(service)
  const { store } = service
  const run = store.run.bind(store)
  const all = Promise.withResolvers<void>()
  let arrived = 0
  let finished = 0
  let committed = 0
  const countTo = (count: number) => {
    if (count === requests.length) process.kill(process.pid, "SIGKILL")
  }

  function* counted<T>(unit: Unit<T>): Unit<T> {
    const result = yield* unit
    if (killed === "BEFORE_COMMIT") countTo(++finished)
    return result
  }

  Object.assign(store, {
    run: async (unit: () => Unit<unknown>) => {
      arrived++
      if (arrived === requests.length) all.resolve()
      // The units begin in one turn.
      await all.promise
      await run(() => counted(unit()))
      countTo(++committed)
      // No response is sent.
      return new Promise(() => {})
    },
  })
  await Promise.all(requests.map((request) => app.handle(requestOf(request))))
}
