import { expect, test } from "bun:test"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { knownList, knownRegister } from "../../../../src/sources/boards/known-source.ts"
import type { FetchEnd } from "../../../../src/sources/fetch/schedule/fetch-child.ts"
import { type PolledId, type ScheduleParts, scheduleOf } from "../../../../src/sources/fetch/schedule/scheduler.ts"
import { ukCompaniesHouse } from "../../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { SourceId } from "../../../../src/sources/records/party.ts"
import { activateImported } from "../../../../src/store/sources/source-changes.ts"
import { recordUnmet } from "../../../../src/store/sources/source-checks.ts"
import { EARLIER_ROW } from "../../../fixtures/snapshot-judgement.ts"
import { importBench, START } from "../../import-bench.ts"

const SDN = "US_OFAC_SDN"
const UK = "UK_SANCTIONS_LIST"
const ENDED: FetchEnd = { exit: 4, timedOut: false, said: "", isBusy: false }
const BUSY: FetchEnd = { exit: 7, timedOut: false, said: "", isBusy: true }

type Does = (id: PolledId, signal: AbortSignal) => Promise<FetchEnd>

function scheduled(bench: ReturnType<typeof importBench>, does: Does, sources: readonly SourceId[] = [SDN, UK]) {
  const requests: { readonly id: PolledId; readonly at: number }[] = []
  const fetch: ScheduleParts["fetch"] = ({ id }, signal) => {
    requests.push({ id, at: bench.machine.now() })
    return does(id, signal)
  }
  return {
    ...scheduleOf({ ...bench, sources: [...sources.map(knownList), knownRegister(ukCompaniesHouse)], fetch }),
    requests,
  }
}

/** A round that writes to the database like the real command. */
const failing =
  (bench: ReturnType<typeof importBench>, retryAfterUntil: string | null = null) =>
  async (id: PolledId) => {
    const at = formatInstant(bench.machine.now())
    await bench.store.run(() =>
      recordUnmet({ sourceId: id, at, outcome: "FAILED", code: "TIMEOUT", detail: null, retryAfterUntil }),
    )
    return ENDED
  }

test("sources that were never fetched are fetched at once, one at a time, and then each at its own interval", async () => {
  await using bench = importBench()
  let running = 0
  let most = 0
  const { round, requests } = scheduled(bench, async (id) => {
    most = Math.max(most, ++running)
    const end = await failing(bench)(id)
    running--
    return end
  })
  for (let n = 0; n < 5; n++) await round()
  expect(requests.map(({ id }) => id).sort()).toEqual([UK, SDN])
  expect(most).toBe(1)
  bench.machine.set(START + 5 * MINUTE - SECOND)
  await round()
  expect(requests).toHaveLength(2)
  bench.machine.set(START + 6 * MINUTE)
  for (let n = 0; n < 5; n++) await round()
  expect(requests).toHaveLength(4)
})

test("a failing publisher is asked less often, but never less than at its interval; the log states each result", async () => {
  await using bench = importBench()
  const { round, requests } = scheduled(bench, failing(bench), [SDN])
  for (let minute = 0; minute < 24 * 60; minute++) {
    bench.machine.set(START + minute * MINUTE)
    await round()
  }
  const waits = requests.slice(1).map(({ at }, n) => (at - requests[n]!.at) / MINUTE)
  for (const [n, wait] of waits.entries()) {
    const least = Math.min(5 * 2 ** n, 60)
    expect(wait).toBeGreaterThanOrEqual(least)
    expect(wait).toBeLessThanOrEqual(least * 1.1 + 1)
  }
  expect(waits.length).toBeGreaterThan(20)
  const told = bench.logged.filter(({ event }) => event === "source_not_fetched")
  expect(told).toHaveLength(requests.length)
  expect(told[2]).toMatchObject({ level: "warn", source_id: SDN, outcome: "FAILED", code: "TIMEOUT", failures: 3 })
})

test("a publisher that sent Retry-After is not asked before that time", async () => {
  await using bench = importBench()
  const { round, requests } = scheduled(bench, failing(bench, formatInstant(START + 3 * HOUR)), [SDN])
  for (let minute = 0; minute <= 3 * 60; minute += 5) {
    bench.machine.set(START + minute * MINUTE)
    await round()
  }
  expect(requests.map(({ at }) => at)).toEqual([START, START + 3 * HOUR])
})

test("a round that dies silently is logged and tried again with growing pauses; other sources are fetched meanwhile", async () => {
  await using bench = importBench()
  const died: FetchEnd = { exit: null, timedOut: true, said: "out of memory", isBusy: false }
  const { round, requests } = scheduled(bench, async (id) => (id === SDN ? died : failing(bench)(id)))
  for (let minute = 0; minute < 40; minute++) {
    bench.machine.set(START + minute * MINUTE)
    for (let n = 0; n < 3; n++) await round()
  }
  expect(requests.filter(({ id }) => id === SDN).map(({ at }) => (at - START) / MINUTE)).toEqual([0, 5, 15, 35])
  expect(requests.filter(({ id }) => id === UK).length).toBeGreaterThanOrEqual(3)
  expect(bench.logged.filter(({ event }) => event === "source_fetch_died")[1]).toMatchObject({
    level: "error",
    source_id: SDN,
    exit: null,
    timed_out: true,
    deaths: 2,
    said: "out of memory",
    retry_at: formatInstant(START + 15 * MINUTE),
  })
})

test("a source that another process fetches is no death: it is asked again within a minute, and is left alone once it is fetched", async () => {
  await using bench = importBench()
  let isHeld = true
  const { round, requests } = scheduled(bench, async (id) => (isHeld ? BUSY : failing(bench)(id)), [SDN])
  const secondsOf = () => requests.map(({ at }) => (at - START) / SECOND)
  for (let second = 0; second <= 200; second++) {
    bench.machine.set(START + second * SECOND)
    await round()
  }
  expect(secondsOf()).toEqual([0, 5, 15, 35, 75, 135, 195])
  const told = bench.logged.filter(({ level }) => level !== "debug")
  expect(told.map(({ event, level }) => [event, level])).toEqual(Array(7).fill(["source_fetch_busy", "info"]))
  expect(told[1]).toMatchObject({ source_id: SDN, tries: 2, retry_at: formatInstant(START + 15 * SECOND) })
  // The other process ends its round.
  isHeld = false
  await failing(bench)(SDN)
  bench.machine.set(START + 260 * SECOND)
  await round()
  expect(requests).toHaveLength(7)
  bench.machine.set(START + 10 * MINUTE)
  await round()
  expect(requests).toHaveLength(8)
})

test("a death after busy rounds waits like the first death, and a busy round after deaths like the first busy one", async () => {
  await using bench = importBench()
  const died: FetchEnd = { ...ENDED, exit: 1 }
  const ends = [BUSY, BUSY, died, died, BUSY, died]
  const { round, requests } = scheduled(bench, async () => ends.shift() ?? BUSY, [SDN])
  for (let second = 0; second <= 17 * 60; second += 5) {
    bench.machine.set(START + second * SECOND)
    await round()
  }
  const seconds = requests.map(({ at }) => (at - START) / SECOND)
  expect(seconds).toEqual([0, 5, 15, 15 + 300, 15 + 300 + 600, 15 + 300 + 600 + 5])
})

test("a program that cannot be started stops no other source", async () => {
  await using bench = importBench()
  const { round } = scheduled(bench, () => Promise.reject(new Error("ENOENT: no such file")), [SDN])
  await round()
  expect(bench.logged[0]).toMatchObject({ event: "source_fetch_died", said: "not started: ENOENT: no such file" })
})

test("a clock that was set back does not delay a source", async () => {
  await using bench = importBench()
  const { round, requests } = scheduled(bench, failing(bench), [SDN])
  await round()
  bench.machine.set(START - 30 * DAY)
  await round()
  expect(requests.map(({ at }) => at)).toEqual([START, START - 30 * DAY])
})

test("a stop ends the running round and starts no other", async () => {
  await using bench = importBench()
  const running = Promise.withResolvers<void>()
  const { round, stopFetching, requests } = scheduled(bench, (_, signal) => {
    running.resolve()
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(ENDED)))
  })
  const first = round()
  await running.promise
  stopFetching()
  await first
  await round()
  expect(requests).toHaveLength(1)
  expect(bench.logged).toEqual([])
})

test("a register is fetched after its first import, from the month after its publication, and daily while it is late", async () => {
  await using bench = importBench()
  const { round, requests } = scheduled(bench, failing(bench), [])
  await round()
  expect(requests).toEqual([])
  const { store } = bench
  const snapshot = {
    ...{
      snapshotId: "snp_house",
      sourceId: ukCompaniesHouse.id,
      sourceUrl: "https://house.example/",
      sourceVersion: "v",
    },
    ...{ sourceTimestamp: formatInstant(START - 20 * DAY), retrievedAt: formatInstant(START), parserVersion: "p/1" },
    ...{ rawSha256: digestOf(1), partiesSha256: digestOf(2), counts: "{}", entries: 1, files: "[]", findings: "[]" },
    importedAt: formatInstant(START),
    ...EARLIER_ROW,
  }
  await store.run(() => activateImported(snapshot, null))
  bench.machine.set(START + 11 * DAY - SECOND)
  await round()
  expect(requests).toEqual([])
  bench.machine.set(START + 11 * DAY)
  await round()
  expect(requests).toEqual([{ id: ukCompaniesHouse.id, at: START + 11 * DAY }])
})

test("without a source to fetch nothing is fetched", async () => {
  await using bench = importBench()
  const { round, requests } = scheduled(bench, failing(bench), [])
  await round()
  expect(requests).toEqual([])
})
