import { expect } from "bun:test"
import { copyFileSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DAY } from "../../../src/core/time.ts"
import { buildDetailsInThread } from "../../../src/sources/boards/build-in-thread.ts"
import { boardByRounds } from "../../../src/sources/boards/open-board.ts"
import { EntryBook } from "../../../src/sources/details/entry-book.ts"
import { openDetailsOf } from "../../../src/sources/details/provide-details.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { screen, TOLERANCE_THRESHOLD } from "../../../src/sources/screening/screen.ts"
import { recordDetails } from "../../../src/store/sources/snapshot-details.ts"
import type { SnapshotRow } from "../../../src/store/sources/sources.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const LATER = [{ number: 90200, name: "LATER QUAY LLC", programs: ["SDGT"] }]
type Bench = ReturnType<typeof importBench>

const pathOf = ({ root }: Bench, row: SnapshotRow) => join(snapshotFolder(root, SDN, row.snapshotId), "details.jsonl")

async function activeOf(bench: Bench): Promise<SnapshotRow> {
  const row = await bench.active(SDN)
  if (!row) throw new Error("nothing is active")
  return row
}

function bookOf(bench: Bench, build = buildDetailsInThread): EntryBook {
  const { store, root, log } = bench
  return new EntryBook({ store, root, log, build: (task, signal) => build(task, { signal }) })
}

const events = ({ logged }: Bench) =>
  logged.map(({ event }) => event).filter((event) => String(event).startsWith("entry_"))

test("an import writes the details, and a board opens them with its index", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const book = bookOf(bench)
  const { store, machine, log, root } = bench
  const place = { store, machine, log, snapshotsDirectory: root, disabled: [] }
  await boardByRounds({ ...place, sources: [SDN], details: book })
  const found = book.entryOf(SDN, row.snapshotId, "90002")
  expect(found).toMatchObject({
    detailsVersion: "us-ofac-sdn-details/1.0.0",
    details: {
      entry_id: "90002",
      type: ["individual"],
      births: [{ text: "14 Mar 1968" }, { text: "1969" }],
      birth_places: [{ text: "Grodno, Belarus" }],
      nationalities: [{ text: "Belarus" }],
      gender: ["Male"],
      identifiers: [{ label: "Passport", value: "XK0000017", country: "Belarus", expires: "01 Jan 2031" }],
      link: "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=90002",
    },
  })
  expect(events(bench)).toEqual([])
  await book.stop()
})

test("an entry that left the list keeps its details for 30 days, with the time of its removal", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  bench.machine.set(START + DAY)
  const { rawSha256 } = await bench.bring(SDN, bench.sdn({ withoutSdn: [90002] }))
  await bench.bring(SDN, bench.sdn({ withoutSdn: [90002] }), { acceptShrink: rawSha256 })
  const first = await activeOf(bench)
  const book = bookOf(bench)
  await book.open([first])
  const removedAt = book.entryOf(SDN, first.snapshotId, "90002")?.details.removed_at
  expect(removedAt).toBe(first.importedAt)
  // It is carried on, and a build from the kept bytes finds it in the snapshot before.
  rmSync(pathOf(bench, first))
  await book.stop()
  const again = bookOf(bench)
  await again.open([first])
  await again.built()
  expect(again.entryOf(SDN, first.snapshotId, "90002")?.details).toMatchObject({
    removed_at: removedAt,
    gender: ["Male"],
  })
  bench.machine.set(START + 33 * DAY)
  await bench.bring(SDN, bench.sdn({ withoutSdn: [90002], extraSdn: LATER }))
  const later = await activeOf(bench)
  await again.open([later])
  expect(again.entryOf(SDN, later.snapshotId, "90002")).toBeNull()
  await again.stop()
})

test("an entry that leaves the list keeps its details although its line of the snapshot before is damaged", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  flip(pathOf(bench, await activeOf(bench)), "Grodno")
  bench.machine.set(START + DAY)
  const { rawSha256 } = await bench.bring(SDN, bench.sdn({ withoutSdn: [90002] }))
  await bench.bring(SDN, bench.sdn({ withoutSdn: [90002] }), { acceptShrink: rawSha256 })
  const row = await activeOf(bench)
  const book = bookOf(bench)
  await book.open([row])
  expect(book.entryOf(SDN, row.snapshotId, "90002")?.details).toMatchObject({
    removed_at: row.importedAt,
    gender: ["Male"],
  })
  await book.stop()
})

test("a snapshot of a release without details gets them from the thread, and the same bytes", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const before = readFileSync(pathOf(bench, row))
  bench.database.run("DELETE FROM snapshot_detail")
  rmSync(pathOf(bench, row))
  const book = bookOf(bench)
  await book.open([row])
  expect(book.entryOf(SDN, row.snapshotId, "90001")).toBeNull()
  await book.built()
  expect(book.entryOf(SDN, row.snapshotId, "90001")?.details.entry_id).toBe("90001")
  expect(events(bench)).toEqual(["entry_details_unusable", "entry_details_built"])
  expect(readFileSync(pathOf(bench, row)).equals(before)).toBe(true)
  await book.stop()
})

test("kept bytes that differ give no details, and one line says so", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  rmSync(pathOf(bench, row))
  const file = join(snapshotFolder(bench.root, SDN, row.snapshotId), "sdn.csv")
  writeFileSync(file, readFileSync(file, "latin1").replace("VOSTOK", "VASTOK"), "latin1")
  const book = bookOf(bench)
  await book.open([row])
  await book.built()
  expect(book.entryOf(SDN, row.snapshotId, "90001")).toBeNull()
  expect(events(bench)).toEqual(["entry_details_unusable", "entry_details_not_built"])
  await book.stop()
})

const harms: readonly [string, (path: string, bench: Bench) => void | Promise<void>][] = [
  ["a missing file", (path) => rmSync(path)],
  ["a cut file", (path) => writeFileSync(path, readFileSync(path).subarray(0, -30))],
  ["a swapped file", (path) => copyFileSync(`${path}.other`, path)],
  ["a bit of the line", (path) => flip(path, "VOSTOK")],
  ["a bit of the index", (path) => flip(path, '"90001",')],
]

function flip(path: string, text: string): void {
  const bytes = readFileSync(path)
  bytes[bytes.lastIndexOf(text) + 1]! ^= 1
  writeFileSync(path, bytes)
}

test.each(harms)("%s: the screening is the same, the hit has no entry, and the log has one line", async (_, harm) => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const { store, machine, log, root } = bench
  const place = { store, machine, log, snapshotsDirectory: root, disabled: [] }
  const query = { name: "VOSTOK MERIDIAN TRADING LLC", type: "org", identifiers: [], countries: [] } as const
  const screened = async () => {
    const book = bookOf(bench, async () => ({ fault: "not now" }))
    const { board } = await boardByRounds({ ...place, sources: [SDN], details: book })
    const result = screen(board.index(), { ...query, threshold: TOLERANCE_THRESHOLD.MEDIUM })
    const entries = result.hits.map(({ entryId }) => book.entryOf(SDN, row.snapshotId, entryId))
    book.entryOf(SDN, row.snapshotId, "90001")
    await book.stop()
    return { result, entries }
  }
  const before = await screened()
  expect(before.entries.every((entry) => entry !== null)).toBe(true)
  const other = await anotherFile(bench)
  copyFileSync(other, `${pathOf(bench, row)}.other`)
  await harm(pathOf(bench, row), bench)
  const after = await screened()
  expect(after.result).toEqual(before.result)
  expect(after.entries).toEqual(before.entries.map(() => null))
  expect(events(bench).filter((event) => event === "entry_details_unusable")).toHaveLength(1)
})

test.each(harms)("%s: the service builds the file again, and the entry is back", async (_, harm) => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const path = pathOf(bench, row)
  copyFileSync(await anotherFile(bench), `${path}.other`)
  const before = readFileSync(path)
  await harm(path, bench)
  const book = bookOf(bench)
  await book.open([row])
  const descriptors = () => openFiles(path)
  book.entryOf(SDN, row.snapshotId, "90001")
  await book.built()
  expect(book.entryOf(SDN, row.snapshotId, "90001")?.details.entry_id).toBe("90001")
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(events(bench)).toEqual(["entry_details_unusable", "entry_details_built"])
  expect(descriptors()).toBe(1)
  await book.stop()
  expect(descriptors()).toBe(0)
})

/** Number of descriptors that this process has of a file, also of one that was removed. */
function openFiles(path: string): number {
  const names = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ""
    }
  })
  return names.filter((name) => name.startsWith(path)).length
}

test("the log names damage after an upgrade too, and the file is built again", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  rmSync(pathOf(bench, row))
  const book = bookOf(bench)
  await book.open([row])
  await book.built()
  flip(pathOf(bench, row), "VOSTOK")
  expect(book.entryOf(SDN, row.snapshotId, "90001")).toBeNull()
  await book.built()
  expect(book.entryOf(SDN, row.snapshotId, "90001")?.details.entry_id).toBe("90001")
  const both = ["entry_details_unusable", "entry_details_built"]
  expect(events(bench)).toEqual([...both, ...both])
  await book.stop()
})

test("the log names damage, also if it named a missing entry before", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const book = bookOf(bench, async () => ({ fault: "not now" }))
  await book.open([row])
  for (const entryId of ["1", "2"]) expect(book.entryOf(SDN, row.snapshotId, entryId)).toBeNull()
  flip(pathOf(bench, row), "VOSTOK")
  expect(book.entryOf(SDN, row.snapshotId, "90001")).toBeNull()
  await book.built()
  expect(events(bench)).toEqual(["entry_details_unusable", "entry_details_unusable", "entry_details_not_built"])
  expect(book.entryOf(SDN, row.snapshotId, "90002")?.details.entry_id).toBe("90002")
  await book.stop()
})

test("a file that is damaged again and again is built a bounded number of times", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  let builds = 0
  const book = bookOf(bench, (task) => {
    builds++
    return buildDetailsInThread(task)
  })
  await book.open([row])
  for (let n = 0; n < 5; n++) {
    flip(pathOf(bench, row), "VOSTOK")
    for (let asked = 0; asked < 3; asked++) book.entryOf(SDN, row.snapshotId, "90001")
    await book.built()
  }
  expect(builds).toBe(1)
  await book.stop()
})

test("a book that a command finished builds nothing more", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  const book = bookOf(bench)
  await book.open([row])
  await book.finishBuilding()
  flip(pathOf(bench, row), "VOSTOK")
  expect(book.entryOf(SDN, row.snapshotId, "90001")).toBeNull()
  await book.built()
  expect(events(bench)).toEqual(["entry_details_unusable"])
  await book.stop()
})

/** The details of another publication of the same list. */
async function anotherFile(bench: Bench): Promise<string> {
  await using other = importBench()
  await other.bring(SDN, other.sdn({ withoutSdn: [90002] }))
  const copy = join(bench.directory, "other.jsonl")
  copyFileSync(pathOf(other, await activeOf(other)), copy)
  return copy
}

test("two processes that build at once leave one good file and nothing else", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const row = await activeOf(bench)
  rmSync(pathOf(bench, row))
  const snapshot = { snapshotId: row.snapshotId, rawSha256: row.rawSha256, digests: [] }
  const task = JSON.stringify({ root: bench.root, sourceId: SDN, snapshot, others: [] })
  const script = join(import.meta.dir, "build-process.ts")
  const children = [1, 2].map(() => Bun.spawn([process.execPath, script, task], { stdout: "pipe" }))
  const built = await Promise.all(
    children.map(async (child) => JSON.parse(await new Response(child.stdout).text()) as { sha256: string }),
  )
  expect(built[0]?.sha256).toBe(built[1]?.sha256 ?? "")
  for (const { sha256 } of built) {
    const detail = { snapshotId: row.snapshotId, detailsVersion: "us-ofac-sdn-details/1.0.0", sha256 }
    await bench.store.run(() => recordDetails(detail))
  }
  const { reader } = await openDetailsOf(bench, row)
  expect(reader?.read("90001")?.details?.entry_id).toBe("90001")
  reader?.close()
  const left = readdirSync(join(bench.root, SDN), { recursive: true }).map(String)
  expect(left.filter((name) => name.includes("staging"))).toEqual([])
  expect(left.filter((name) => name.endsWith("details.jsonl"))).toHaveLength(1)
})
