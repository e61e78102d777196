/** A board while no index can be built, and a build that does not block the process. */
import { expect } from "bun:test"
import { buildIndex, type IndexTask } from "../../src/sources/boards/build-index.ts"
import { boardByRounds, openBoard } from "../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench, START } from "./import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const EXTRA = { number: 90_101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }

/** A board with builds that fail while `broken.why` is set. It records its tasks. */
async function fragile(bench: ReturnType<typeof importBench>, why: string | null = null) {
  const broken = { why }
  const tasks: IndexTask[] = []
  const rounds = await boardByRounds({
    ...bench,
    snapshotsDirectory: bench.root,
    sources: REQUIRED_US_SOURCES,
    disabled: [],
    build: async (task) => {
      tasks.push(task)
      if (broken.why !== null) throw new Error(broken.why)
      return buildIndex(task)
    },
  })
  return { ...rounds, broken, tasks }
}

const stateOf = (board: Awaited<ReturnType<typeof fragile>>["board"]) =>
  screen(board.index(), { name: EXTRA.name, type: "org", identifiers: [], countries: [], threshold: 0.8 }).state

test("while builds fail the old index and its states stay, each pause is longer, and the first successful build is used", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const { board, poll, broken, tasks } = await fragile(bench)
  const [index, states] = [board.index(), board.states(START)]
  broken.why = "the thread failed: out of memory"
  const { snapshotId } = await bench.bring(SDN, bench.sdn({ extraSdn: [EXTRA] }))
  const triedIn: number[] = []
  for (let round = 1; round <= 20; round++) {
    const before = tasks.length
    await poll()
    if (tasks.length > before) triedIn.push(round)
  }
  expect(triedIn).toEqual([1, 3, 6, 11, 20])
  expect(board.index()).toBe(index)
  expect(board.states(START)).toEqual(states)
  const failed = bench.logged.filter(({ event }) => event === "index_not_built")
  expect(failed.map(({ why, failures, retry_seconds }) => [why, failures, retry_seconds])).toEqual(
    [1, 2, 4, 8, 16].map((seconds, at) => ["the thread failed: out of memory", at + 1, seconds]),
  )
  broken.why = null
  for (let round = 0; round < 16; round++) await poll()
  expect(stateOf(board)).toBe("CLEAR")
  await poll()
  expect(stateOf(board)).toBe("MATCH")
  expect(board.index().snapshotIds).toEqual({ [SDN]: snapshotId ?? "" })
})

test("a service that starts and cannot build an index is UNAVAILABLE and finds nothing CLEAR until it can", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn({ extraSdn: [EXTRA] }))
  const { board, poll, broken } = await fragile(bench, "no thread")
  expect(board.states(START).map(({ health }) => health)).toEqual(Array(4).fill("UNAVAILABLE"))
  expect(stateOf(board)).toBe("INSUFFICIENT")
  broken.why = null
  await poll()
  await poll()
  expect(stateOf(board)).toBe("MATCH")
})

test("only the list that changed is read again", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  await bench.bring("US_SAM_EXCLUSIONS", sampleLists({ publishedAt: START }).US_SAM_EXCLUSIONS)
  const { poll, tasks } = await fragile(bench)
  await bench.bring(SDN, bench.sdn({ extraSdn: [EXTRA] }))
  await poll()
  const read = tasks.map(({ lists }) => lists.filter(({ held }) => held === null).map(({ row }) => row.sourceId))
  expect(read).toEqual([[SDN, "US_SAM_EXCLUSIONS"], [SDN]])
})

test("the event loop continues while an index is built", async () => {
  await using bench = importBench()
  const extraSdn = Array.from({ length: 4000 }, (_, at) => ({
    ...EXTRA,
    number: 90_101 + at,
    name: `SYNDICATE ${at} ZEPHYR`,
  }))
  await bench.bring(SDN, bench.sdn({ extraSdn }))
  const stopwatch = performance.now()
  let turns = 0
  let open = true
  const turn = () => {
    turns++
    if (open) setTimeout(turn, 1)
  }
  turn()
  const { worker } = await openBoard({
    ...bench,
    snapshotsDirectory: bench.root,
    sources: REQUIRED_US_SOURCES,
    disabled: [],
  })
  open = false
  // A build in this process would leave one or two turns. The thread alone takes tens of milliseconds to start.
  expect([turns > 10, performance.now() - stopwatch > 10]).toEqual([true, true])
  await worker.stop()
})

test("a service that stops during a build does not wait for it", async () => {
  await using bench = importBench()
  const building = Promise.withResolvers<void>()
  const { poll, stopBuilding } = await boardByRounds({
    ...bench,
    snapshotsDirectory: bench.root,
    sources: REQUIRED_US_SOURCES,
    disabled: [],
    build: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")))
        building.resolve()
      }),
  })
  await bench.bring(SDN, bench.sdn())
  const round = poll()
  await building.promise
  stopBuilding()
  await round
  expect(bench.logged.filter(({ level }) => level === "error")).toEqual([])
})
