/** Two machines with one schedule: a publisher is asked once at each due time. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { UNWATCHED } from "../../../src/base/long-work.ts"
import { HOUR, MINUTE } from "../../../src/core/time.ts"
import { knownList } from "../../../src/sources/boards/known-source.ts"
import { fetchRound } from "../../../src/sources/fetch/fetch-round.ts"
import { fetchTarget } from "../../../src/sources/fetch/fetch-target.ts"
import { realNetwork } from "../../../src/sources/fetch/network.ts"
import { type DueSource, scheduleOf } from "../../../src/sources/fetch/schedule/scheduler.ts"
import { ImportBusy } from "../../../src/sources/import/import-lock.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { sourceCheck } from "../../../src/store/sources/source-checks.ts"
import { SHORT_LIMITS } from "../../fixtures/downloads.ts"
import { mirrorOf } from "../../fixtures/mirror.ts"
import { mirrorBelow } from "../../fixtures/mirror-below.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, sharedBench } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const CSL = "US_TRADE_CSL"

/** One round as `sources fetch` runs it. */
async function fetched({ place }: BenchMachine, origin: string, lastAttempt: string | null) {
  const transport = {
    network: realNetwork,
    mirror: mirrorBelow(origin),
    limits: SHORT_LIMITS,
    userAgent: "bizauth/test",
  }
  const context = { ...place, lastAttempt, transport, samKey: null, wait: async () => {}, work: UNWATCHED }
  return await fetchRound(fetchTarget(listSource(ADAPTERS[CSL]), { ...place, environment: "test" }), context)
}

function scheduled(machine: BenchMachine, origin: string, before: (due: DueSource) => Promise<void> = async () => {}) {
  const ends: string[] = []
  const fetch = async (due: DueSource) => {
    await before(due)
    try {
      ends.push((await fetched(machine, origin, due.lastAttempt)).outcome)
      return { exit: 0, timedOut: false, said: "", isBusy: false }
    } catch (error) {
      if (!(error instanceof ImportBusy)) throw error
      ends.push(error.message)
      return { exit: 7, timedOut: false, said: "", isBusy: true }
    }
  }
  const { store, place, log } = machine
  return { ends, ...scheduleOf({ store, machine: place.machine, log, sources: [knownList(CSL)], fetch }) }
}

describe.skipIf(!HAS_POSTGRES)(`the schedule of a shared database${NOT_RUN}`, () => {
  test("two schedules at one time: one round asks, whichever machine begins", async () => {
    await using bench = await sharedBench()
    using mirror = mirrorOf(START)
    const schedules = [
      scheduled(await bench.machine("one"), mirror.origin),
      scheduled(await bench.machine("other"), mirror.origin),
    ]
    let rounds = 0
    for (let at = START; at < START + 12 * HOUR; at += 20 * MINUTE) {
      bench.clock.set(at)
      const before = mirror.answered.length
      await Promise.all(schedules.map(({ round }) => round()))
      expect(mirror.answered.length - before).toBeLessThanOrEqual(1)
      rounds += mirror.answered.length - before
    }
    const done = schedules.flatMap(({ ends }) => ends).filter((end) => end === "IMPORTED" || end === "NOT_MODIFIED")
    expect(rounds).toBeGreaterThan(2)
    expect(done).toHaveLength(rounds)
  })

  test("a round that was due when another machine began, and begins after that one ended, asks nobody", async () => {
    await using bench = await sharedBench()
    using mirror = mirrorOf(START)
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    // The other machine has seen that the source is due. Before its round begins, this one asks.
    const { round, ends } = scheduled(other, mirror.origin, async ({ lastAttempt }) => {
      expect(lastAttempt).toBeNull()
      await fetched(one, mirror.origin, null)
    })
    await round()
    expect(ends).toEqual([`another process has just asked the publisher of ${CSL}`])
    expect(mirror.answered).toHaveLength(1)
    await round()
    expect(mirror.answered).toHaveLength(1)
  })

  test("while one machine asks, the other does not", async () => {
    await using bench = await sharedBench()
    using mirror = mirrorOf(START)
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const held = mirror.hold(CSL)
    const first = fetched(one, mirror.origin, null)
    await held.requests
    await expect(fetched(other, mirror.origin, null)).rejects.toThrow(
      `another round that fetches ${CSL} is running on another data directory or machine`,
    )
    held.letGo()
    expect((await first).outcome).toBe("IMPORTED")
    expect(mirror.answered).toHaveLength(1)
    expect((await one.store.read(() => sourceCheck(CSL)))?.outcome).toBe("IMPORTED")
  })
})
