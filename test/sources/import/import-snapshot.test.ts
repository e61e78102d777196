import { expect } from "bun:test"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestBytes, digestFiles } from "../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { loadSnapshots } from "../../../src/sources/boards/load-snapshots.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import { cslFile, type SampleFile, sampleLists } from "../../fixtures/sample-lists.ts"
import { cslRows } from "../../fixtures/sample-parties.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { asSourceFiles, replacing, withFile } from "../../fixtures/source-files.ts"
import { hardCodes, importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"
const text = (value: string) => new TextEncoder().encode(value)
const folders = (root: string, id: string) => readdirSync(join(root, id)).sort()

test.each(Object.keys(ADAPTERS) as SourceId[])(
  "%s: the publisher's files are stored byte for byte with a manifest, and one row is active",
  async (id) => {
    await using bench = importBench()
    const files = sampleLists({ publishedAt: START })[id]
    const report = await bench.bring(id, files, { modifiedAt: START - HOUR })
    expect(hardCodes(report)).toEqual([])
    const folder = join(bench.root, id, report.snapshotId ?? "")
    for (const { name, bytes } of files) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true)
    const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))
    expect(manifest).toMatchObject({
      format: "svc-snapshot-1",
      source_id: id,
      retrieved_at: formatInstant(START - HOUR),
    })
    expect(manifest.files.map(({ name }: { name: string }) => name).sort()).toEqual(
      files.map(({ name }) => name).sort(),
    )
    const row = await bench.active(id)
    expect(row).toMatchObject({ snapshotId: report.snapshotId, entries: report.counts.entries, state: "ACTIVE" })
    const hexes = files.map(({ name, bytes }) => ({ name, sha256: digestBytes(bytes).slice("sha256:".length) }))
    expect(row?.rawSha256).toBe(digestFiles(hexes))
    expect(bench.events()).toMatchObject([{ source_id: id, kind: "IMPORTED", snapshot_id: report.snapshotId }])
  },
)

test("the stored parties equal those of the adapter, so a start screens the same parties", async () => {
  await using bench = importBench()
  const files = bench.sdn()
  await bench.bring(SDN, files)
  const { snapshots } = await loadSnapshots({ store: bench.store, snapshotsDirectory: bench.root, log: bench.log })
  const read = ADAPTERS[SDN].parse(asSourceFiles(files))
  expect(snapshots.get(SDN)?.stored.parties).toEqual(JSON.parse(JSON.stringify(read.parties)))
})

test("a stored folder can be imported elsewhere with the same digest and retrieval time", async () => {
  await using bench = importBench()
  const first = await bench.bring(SDN, bench.sdn(), { modifiedAt: START - 5 * HOUR })
  await using other = importBench()
  const again = await other.importFrom(SDN, join(bench.root, SDN, first.snapshotId ?? ""))
  expect(hardCodes(again)).toEqual([])
  expect([again.rawSha256, again.retrievedAt]).toEqual([first.rawSha256, first.retrievedAt])
})

const harms: readonly [name: string, code: string, harm: (files: readonly SampleFile[]) => readonly SampleFile[]][] = [
  [
    "a file that is cut",
    "TRUNCATED",
    (files) => withFile(asSourceFiles(files), "alt.csv", (bytes) => bytes.subarray(0, bytes.length - 9)),
  ],
  [
    "a page in place of a list",
    "NOT_DATA",
    (files) => withFile(asSourceFiles(files), "sdn.csv", () => text("<!doctype html><p>try later")),
  ],
  ["a file that is missing", "MISSING_FILE", (files) => files.filter(({ name }) => name !== "add.csv")],
  [
    "an alias of an entry the primary file does not have",
    "MIXED_PUBLICATION",
    (files) => withFile(asSourceFiles(files), "alt.csv", replacing("90001,", "89999,")),
  ],
  [
    "rows of other columns",
    "SCHEMA_BREAK",
    (files) => withFile(asSourceFiles(files), "sdn.csv", replacing("90001,", "90001,1,")),
  ],
]
test.each(harms)("%s is refused with every finding recorded; nothing else changes", async (_name, code, harm) => {
  await using bench = importBench()
  const good = await bench.bring(SDN, bench.sdn(), { modifiedAt: START - HOUR })
  const before = await bench.active(SDN)
  const refused = await bench.bring(SDN, harm(bench.sdn()))
  expect(refused).toMatchObject({ imported: false, snapshotId: null })
  expect(hardCodes(refused)).toContain(code)
  expect(await bench.active(SDN)).toEqual(before)
  expect(folders(bench.root, SDN)).toEqual([good.snapshotId ?? ""])
  const told = bench.events().at(-1)
  expect(told).toMatchObject({ kind: "REFUSED", snapshot_id: null })
  expect(JSON.parse(told?.detail ?? "")).toEqual(refused.findings)
})

test("a refused first import leaves the source without a snapshot", async () => {
  await using bench = importBench()
  const refused = await bench.bring(SDN, [{ name: "sdn.csv", bytes: text("") }])
  expect(refused.imported).toBe(false)
  expect(await bench.active(SDN)).toBeNull()
})

test("a list that shrank is refused until exactly its digest is accepted", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const less = bench.sdn({ withoutSdn: [90002] })
  const refused = await bench.bring(SDN, less)
  expect(hardCodes(refused)).toEqual(["SHRUNK", "SHRUNK"])
  const wrong = await bench.bring(SDN, less, { acceptShrink: digestBytes("others") })
  expect(hardCodes(wrong)).toEqual(["SHRUNK", "SHRUNK"])
  const accepted = await bench.bring(SDN, less, { acceptShrink: refused.rawSha256 })
  expect(accepted).toMatchObject({ imported: true, rawSha256: refused.rawSha256 })
  expect(accepted.findings.filter(({ code }) => code === "SHRUNK").map(({ severity }) => severity)).toEqual([
    "soft",
    "soft",
  ])
})

test("an acceptance of the digest does not admit damaged bytes", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const cut = withFile(asSourceFiles(bench.sdn()), "sdn.csv", (bytes) => bytes.subarray(0, 300))
  const refused = await bench.bring(SDN, cut)
  const again = await bench.bring(SDN, cut, { acceptShrink: refused.rawSha256 })
  expect(again.imported).toBe(false)
})

test("a list that grew too much is refused, and accepted in the same way", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const names = [
    "ALBATROSS",
    "BITTERN",
    "CORMORANT",
    "DOTTEREL",
    "EGRET",
    "FULMAR",
    "GANNET",
    "HERON",
    "IBIS",
    "JACANA",
  ]
  const extraSdn = ["QUARRY", "VINEYARD"].flatMap((kind, half) =>
    names.map((bird, at) => ({ number: 90101 + half * 10 + at, name: `${bird} ${kind} HOLDINGS`, programs: ["SDGT"] })),
  )
  const more = bench.sdn({ extraSdn })
  const refused = await bench.bring(SDN, more)
  expect(new Set(hardCodes(refused))).toEqual(new Set(["EXPLODED"]))
  const accepted = await bench.bring(SDN, more, { acceptShrink: refused.rawSha256 })
  expect(accepted.imported).toBe(true)
})

test("an older publication does not replace a newer one, by stated time or otherwise by retrieval", async () => {
  await using bench = importBench()
  const sam = (day: number) => sampleLists({ publishedAt: START - day * DAY }).US_SAM_EXCLUSIONS
  await bench.bring("US_SAM_EXCLUSIONS", sam(1))
  expect(hardCodes(await bench.bring("US_SAM_EXCLUSIONS", sam(2)))).toEqual(["OLDER_THAN_ACTIVE"])
  // OFAC's CSV files state no time. An older copy from a USB stick must not become active.
  await bench.bring(SDN, bench.sdn())
  expect(hardCodes(await bench.bring(SDN, bench.sdn(), { modifiedAt: START - DAY }))).toEqual(["OLDER_THAN_ACTIVE"])
})

test("a new copy of the same bytes keeps their first retrieval, and only their publisher can confirm them later", async () => {
  await using bench = importBench()
  const files = bench.sdn()
  const first = await bench.bring(SDN, files)
  bench.machine.set(START + DAY)
  const copied = await bench.bring(SDN, files)
  expect(copied.imported).toBe(true)
  expect([copied.rawSha256, copied.retrievedAt, copied.confirmedAt]).toEqual([
    first.rawSha256,
    formatInstant(START),
    null,
  ])
  const fetched = await bench.bring(SDN, files, { fromPublisher: { lastModified: null } })
  expect([fetched.retrievedAt, fetched.confirmedAt]).toEqual([formatInstant(START + DAY), formatInstant(START + DAY)])
})

test("the retrieval time is the oldest file time, may be set earlier, and is never later than now", async () => {
  await using bench = importBench()
  const csl = (number: number) => [cslFile([...cslRows, { ...cslRows[0], _id: `other-${number}`, entity_number: "" }])]
  const ahead = await bench.bring("US_TRADE_CSL", csl(1), { modifiedAt: START + DAY })
  expect(ahead.retrievedAt).toBe(formatInstant(START))
  bench.machine.set(START + 3 * DAY)
  const given = { modifiedAt: START + 2 * DAY }
  const later = await bench.bring("US_TRADE_CSL", csl(2), { ...given, retrievedAt: START + 3 * DAY })
  expect(later.retrievedAt).toBe(formatInstant(START + 2 * DAY))
  const earlier = await bench.bring("US_TRADE_CSL", csl(3), {
    modifiedAt: START + 3 * DAY,
    retrievedAt: START + 2 * DAY + HOUR,
  })
  expect(earlier.retrievedAt).toBe(formatInstant(START + 2 * DAY + HOUR))
})

test("three good snapshots are kept, and every one that a delivery names", async () => {
  await using bench = importBench()
  const ids: string[] = []
  for (let day = 0; day < 6; day++) {
    bench.machine.set(START + day * DAY)
    ids.push((await bench.bring(SDN, bench.sdn())).snapshotId ?? "")
    if (day === 1) {
      // Only the reference to the snapshot matters here, not the delivery.
      bench.database.run("PRAGMA foreign_keys = OFF")
      bench.database.query("INSERT INTO delivery_snapshot VALUES ('req_x', ?1)").run(ids[1] ?? "")
    }
  }
  expect(folders(bench.root, SDN)).toEqual([ids[1], ids[3], ids[4], ids[5]].map(String).sort())
  const states = bench.database
    .query<{ state: string }, []>("SELECT state FROM source_snapshot ORDER BY imported_at")
    .all()
    .map(({ state }) => state)
  expect(states).toEqual(["DROPPED", "KEPT", "DROPPED", "KEPT", "KEPT", "ACTIVE"])
})

test("a second import at the same time is refused at once and changes nothing", async () => {
  await using bench = importBench()
  const folder = bench.folder(bench.sdn())
  const both = await Promise.allSettled([bench.importFrom(SDN, folder), bench.importFrom(SDN, folder)])
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"])
  expect(bench.events()).toHaveLength(1)
})

test("the copy of OFAC's lists in the CSL is compared with ours, and a difference refuses nothing", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const report = await bench.bring("US_TRADE_CSL", [cslFile()])
  expect(report.imported).toBe(true)
  expect(report.findings).toContainEqual({
    code: "COUNT_MISMATCH",
    severity: "soft",
    detail: "repeats 1 entries of US_OFAC_SDN, of which this directory has 5",
  })
})

test("a list is refused if screening does not find its own names", async () => {
  await using bench = importBench()
  const adapter = { ...ADAPTERS[SDN], canaries: [{ entryId: "90001", name: "Utterly Different Concern" }] }
  const refused = await bench.bring(SDN, bench.sdn(), { adapter })
  expect(hardCodes(refused)).toEqual(["CANARY_MISSED"])
  expect(await bench.active(SDN)).toBeNull()
})

test("files of others beside the snapshots are not touched", async () => {
  await using bench = importBench()
  const { snapshotId } = await bench.bring(SDN, bench.sdn())
  const note = join(bench.root, SDN, "README.txt")
  writeFileSync(note, "do not touch")
  bench.machine.set(START + HOUR)
  const next = await bench.bring(SDN, bench.sdn())
  expect(folders(bench.root, SDN)).toEqual(["README.txt", snapshotId ?? "", next.snapshotId ?? ""].sort())
})
