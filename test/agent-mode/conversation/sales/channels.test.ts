/** The public state of the channels is read in one query, whatever was switched. */
import { expect, test } from "bun:test"
import { CHANNELS } from "../../../../schemas/agent-mode/channels.ts"
import { formatInstant } from "../../../../src/core/time.ts"
import { isStopped, recordSwitch, scopeStates, windowOf } from "../../../../src/store/agent-mode/sales-switches.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { chance } from "../../../fixtures/chance.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { SEED } from "../../../fixtures/long.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { openSalesServer, PATHS, type SalesServer } from "../../sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)
const SCOPES = ["ALL", "BEACON", ...CHANNELS]

async function serving(work: (server: SalesServer) => Promise<void>): Promise<void> {
  using directory = freshDirectory()
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clockAt(NOW) })
  try {
    await work(server)
  } finally {
    await server.close()
  }
}

test("one request asks the database once", () =>
  serving(async ({ store, get }) => {
    let queries = 0
    function* counted<T>(unit: Unit<T>): Unit<T> {
      let step = unit.next()
      while (!step.done) {
        queries++
        step = unit.next(yield step.value)
      }
      return step.value
    }
    const read = store.readTogether.bind(store)
    store.readTogether = ((unit: (version: number) => Unit<unknown>) =>
      read((version) => counted(unit(version)))) as typeof store.readTogether
    expect((await get(PATHS.channels)).status).toBe(200)
    expect(queries).toBe(1)
  }))

test("the newest switch and the newest window of each scope count", () =>
  serving(async ({ store }) => {
    const random = chance(SEED)
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)] as T
    for (let n = 0; n < 300; n++) {
      const action = pick(["STOP", "START", "WINDOW"] as const)
      const times = action === "WINDOW" ? pick([["08:00", "18:00"] as const, ["00:00", "00:00"] as const]) : null
      const row = { at: formatInstant(NOW + n), scope: pick(SCOPES), action, reason: "test" }
      await store.run(() => recordSwitch({ ...row, opens: times?.[0] ?? null, closes: times?.[1] ?? null }))
      if (n % 30 !== 0 && n !== 299) continue
      const states = await store.read(() => scopeStates(SCOPES))
      const one = await store.read(function* () {
        const found: [string, object][] = []
        for (const scope of SCOPES) {
          found.push([scope, { isStopped: yield* isStopped(scope), window: yield* windowOf(scope) }])
        }
        return found
      })
      expect([...states]).toEqual(one as [string, { isStopped: boolean; window: null }][])
    }
  }))
