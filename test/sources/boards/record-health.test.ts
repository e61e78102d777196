import { expect, test } from "bun:test"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { boardByRounds } from "../../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { HEALTH_EVENTS_KEPT, recordHealth } from "../../../src/store/sources/source-health-events.ts"
import { sourceHistory } from "../../../src/store/sources/source-history.ts"
import { importBench, START } from "../import-bench.ts"

const SDN = "US_OFAC_SDN"
type Bench = ReturnType<typeof importBench>

const open = (bench: Bench) =>
  boardByRounds({ ...bench, snapshotsDirectory: bench.root, sources: REQUIRED_US_SOURCES, disabled: [] })

async function recorded(bench: Bench, id: string = SDN) {
  const { health } = await bench.store.read(() => sourceHistory(id, 5000))
  return health.map(({ fromHealth, toHealth }) => `${fromHealth} -> ${toHealth}`).reverse()
}

const judged = (health: "HEALTHY" | "STALE") => [{ sourceId: SDN, health, reasonCodes: [], snapshotId: null }]

test("each change of health is recorded once with its reasons and snapshot, and logged", async () => {
  await using bench = importBench()
  const { poll } = await open(bench)
  await poll()
  const { snapshotId } = await bench.bring(SDN, bench.sdn())
  for (let round = 0; round < 3; round++) await poll()
  bench.machine.set(START + 72 * HOUR)
  await poll()
  bench.machine.set(START + 72 * HOUR + 1000)
  await poll()
  expect(await recorded(bench)).toEqual(["null -> UNAVAILABLE", "UNAVAILABLE -> HEALTHY", "HEALTHY -> STALE"])
  const [newest] = (await bench.store.read(() => sourceHistory(SDN, 1))).health
  expect(newest).toMatchObject({
    at: formatInstant(START + 72 * HOUR),
    reasonCodes: '["SOURCE_STALE"]',
    snapshotId: snapshotId ?? "",
  })
  const told = bench.logged.filter(({ event, source_id }) => event === "source_health_changed" && source_id === SDN)
  expect(told.map(({ level, to }) => [level, to])).toEqual([
    ["warn", "UNAVAILABLE"],
    ["info", "HEALTHY"],
    ["warn", "STALE"],
  ])
})

test("a restart records a change that came while nothing ran, and repeats no record", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  await open(bench)
  await open(bench)
  expect(await recorded(bench)).toEqual(["null -> HEALTHY"])
  bench.machine.set(START + 5 * DAY)
  await open(bench)
  expect(await recorded(bench)).toEqual(["null -> HEALTHY", "HEALTHY -> STALE"])
})

test("the slower of two processes neither repeats nor reverts a change", async () => {
  await using bench = importBench()
  const [quick, slow] = [await open(bench), await open(bench)]
  await bench.bring(SDN, bench.sdn())
  await quick.poll()
  expect(await recorded(bench)).toEqual(["null -> UNAVAILABLE", "UNAVAILABLE -> HEALTHY"])
  await Promise.all([slow.poll(), quick.poll(), slow.poll()])
  expect(await recorded(bench)).toEqual(["null -> UNAVAILABLE", "UNAVAILABLE -> HEALTHY"])
  bench.machine.set(START + 5 * DAY)
  await Promise.all([slow.poll(), quick.poll()])
  expect(await recorded(bench)).toHaveLength(3)
})

test("only the newest thousand changes of each source are kept", async () => {
  await using bench = importBench()
  const changes = HEALTH_EVENTS_KEPT + 20
  for (let from = 0; from < changes; from += 100)
    await bench.store.run(function* () {
      for (let at = from; at < Math.min(from + 100, changes); at++)
        yield* recordHealth(judged(at % 2 === 0 ? "HEALTHY" : "STALE"), formatInstant(START + at))
    })
  const other = judged("STALE").map((one) => ({ ...one, sourceId: "US_TRADE_CSL" }))
  await bench.store.run(() => recordHealth(other, formatInstant(START)))
  const { health } = await bench.store.read(() => sourceHistory(SDN, 5000))
  expect(health).toHaveLength(HEALTH_EVENTS_KEPT)
  expect([health[0]?.at, health.at(-1)?.at]).toEqual([
    formatInstant(START + changes - 1),
    formatInstant(START + changes - HEALTH_EVENTS_KEPT),
  ])
  expect(await recorded(bench, "US_TRADE_CSL")).toEqual(["null -> STALE"])
})
