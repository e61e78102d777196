import { expect } from "bun:test"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY } from "../../../src/core/time.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { REQUIRED_US_SOURCES, type SourceId } from "../../../src/sources/records/party.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { UK_ORGANISATION } from "../../fixtures/uk-sanctions-list.ts"
import { importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
type Bench = ReturnType<typeof importBench>

const open = (bench: Bench, disabled: readonly string[] = []) =>
  openBoard({ ...bench, snapshotsDirectory: bench.root, sources: REQUIRED_US_SOURCES, disabled })

const healthOf = (board: Awaited<ReturnType<typeof open>>["board"], at = START) =>
  Object.fromEntries(board.states(at).map(({ sourceId, health }) => [sourceId, health]))

const stateOf = (board: Awaited<ReturnType<typeof open>>["board"], name: string) =>
  screen(board.index(), { name, type: "org", identifiers: [], countries: [], threshold: 0.8 }).state

/** Runs the worker until `done` is true, then stops it. */
async function worked({ worker }: Awaited<ReturnType<typeof open>>, done: () => boolean): Promise<void> {
  worker.start()
  const end = Date.now() + 8000
  while (!done() && Date.now() < end) await Bun.sleep(20)
  await worker.stop()
  expect(done()).toBe(true)
}

test("before any import the index is empty and every source is UNAVAILABLE, in id order", async () => {
  await using bench = importBench()
  const { board } = await open(bench)
  expect(board.states(START).map(({ sourceId }) => sourceId)).toEqual([...REQUIRED_US_SOURCES])
  for (const state of board.states(START)) {
    expect(state).toMatchObject({ health: "UNAVAILABLE", reasonCodes: ["SOURCE_UNAVAILABLE"], snapshot: null })
    expect(state).toMatchObject({ staleAt: null, ageSeconds: null, lastAttempt: null, freshness: "STALE" })
  }
  expect(board.index().size).toEqual({ parties: 0, names: 0 })
  expect(stateOf(board, BLOCKED_ORGANISATION)).toBe("INSUFFICIENT")
})

test("the service starts with the active snapshots of all required sources and names them", async () => {
  await using bench = importBench()
  for (const [id, files] of Object.entries(sampleLists({ publishedAt: START }))) {
    await bench.bring(id as SourceId, files)
  }
  const { board } = await open(bench)
  expect(new Set(Object.values(healthOf(board)))).toEqual(new Set(["HEALTHY"]))
  expect(stateOf(board, BLOCKED_ORGANISATION)).toBe("MATCH")
  // The UK list is imported but not part of this board: a decision may only use sources that it names.
  expect(Object.keys(board.index().snapshotIds).sort()).toEqual([...REQUIRED_US_SOURCES])
  expect(stateOf(board, UK_ORGANISATION)).toBe("CLEAR")
  for (const { sourceId, snapshot } of board.states(START)) {
    expect(board.index().snapshotIds[sourceId]).toBe(snapshot?.snapshotId ?? "none")
  }
})

test("an import by another process is used shortly after, index and states together", async () => {
  await using bench = importBench()
  const opened = await open(bench)
  const { board } = opened
  const report = await bench.bring(SDN, bench.sdn())
  // Until the worker has run, evidence still names the snapshots of the old index.
  expect([healthOf(board)[SDN], board.index().size.parties]).toEqual(["UNAVAILABLE", 0])
  await worked(opened, () => board.index().size.parties > 0)
  expect(healthOf(board)[SDN]).toBe("HEALTHY")
  expect(board.index().snapshotIds).toEqual({ [SDN]: report.snapshotId ?? "" })
})

test("a refused import changes only the states, and the index is not rebuilt", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const opened = await open(bench)
  const index = opened.board.index()
  await bench.bring(SDN, bench.sdn().slice(1))
  const attempt = () => opened.board.states(START).find(({ sourceId }) => sourceId === SDN)?.lastAttempt
  await worked(opened, () => attempt()?.outcome === "REFUSED")
  expect(opened.board.index()).toBe(index)
  expect(healthOf(opened.board)[SDN]).toBe("HEALTHY")
})

test("a rollback by another process is used shortly after", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  bench.machine.set(START + DAY)
  const extraSdn = [{ number: 90101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
  await bench.bring(SDN, bench.sdn({ extraSdn }))
  const opened = await open(bench)
  expect(stateOf(opened.board, "ZEPHYR MARLOWE SYNDICATE")).toBe("MATCH")
  await rollBack({ ...bench, source: listSource(ADAPTERS[SDN]) })
  await worked(opened, () => stateOf(opened.board, "ZEPHYR MARLOWE SYNDICATE") === "CLEAR")
})

const damages: readonly [name: string, damage: (folder: string) => void][] = [
  ["is gone", (folder) => rmSync(folder, { recursive: true })],
  [
    "has other parties than recorded",
    (folder) => writeFileSync(join(folder, "parties.json"), '{"parties":[],"removed":[]}'),
  ],
  ["has another raw file than recorded", (folder) => writeFileSync(join(folder, "sdn.csv"), "\u001a")],
]
test.each(damages)(
  "a source with a snapshot that %s is UNAVAILABLE with a log line; the others are used",
  async (_name, damage) => {
    await using bench = importBench()
    const { snapshotId } = await bench.bring(SDN, bench.sdn())
    await bench.bring("US_OFAC_CONSOLIDATED", sampleLists({ publishedAt: START }).US_OFAC_CONSOLIDATED)
    damage(snapshotFolder(bench.root, SDN, snapshotId ?? ""))
    const { board } = await open(bench)
    expect(healthOf(board)).toMatchObject({ US_OFAC_SDN: "UNAVAILABLE", US_OFAC_CONSOLIDATED: "HEALTHY" })
    expect(Object.keys(board.index().snapshotIds)).toEqual(["US_OFAC_CONSOLIDATED"])
    expect(bench.logged).toContainEqual(expect.objectContaining({ event: "snapshot_unreadable", source_id: SDN }))
  },
)

test("a source that is switched off is DISABLED, and an unknown source id is logged as a warning", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const { board } = await open(bench, [SDN, "US_OFAC_SND"])
  const [, sdn] = board.states(START)
  expect(sdn).toMatchObject({ sourceId: SDN, health: "DISABLED", reasonCodes: ["SOURCE_DISABLED"] })
  expect(bench.logged).toContainEqual(expect.objectContaining({ level: "warn", source_id: "US_OFAC_SND" }))
})
