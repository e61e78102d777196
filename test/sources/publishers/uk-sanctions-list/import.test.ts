import { describe, expect } from "bun:test"
import { DAY, HOUR } from "../../../../src/core/time.ts"
import { LISTS } from "../../../../src/sources/boards/known-source.ts"
import { loadSnapshots } from "../../../../src/sources/boards/load-snapshots.ts"
import { sourceStates } from "../../../../src/sources/boards/source-health.ts"
import { rollBack } from "../../../../src/sources/import/roll-back.ts"
import { listSource } from "../../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../../src/sources/list-registry.ts"
import type { SampleFile } from "../../../fixtures/sample-lists.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { type UkRow, ukSanctionsFile } from "../../../fixtures/uk-sanctions-list.ts"
import { hardCodes, importBench, START } from "../../import-bench.ts"

const test = slowTests(import.meta.path)

const UK = "UK_SANCTIONS_LIST"
type Bench = ReturnType<typeof importBench>

const PARTS = ["Alder", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Ginkgo", "Hazel", "Ivy", "Juniper"]
const rows: readonly UkRow[] = PARTS.flatMap((first) =>
  PARTS.map((last) => ({
    "Unique ID": `${first.slice(0, 3)}${last.slice(0, 3)}`.toUpperCase(),
    "Name 1": first,
    "Name 6": `${last}worth`,
    "Name type": "Primary Name",
    "Regime Name": "The Invented Matters (Sanctions) Regulations 2025",
    "Designation Type": "Individual",
    "Sanctions Imposed": "Asset freeze",
    "D.O.B": "01/02/1970",
    "Nationality(/ies)": "Belarus",
  })),
)
const published = (publishedAt: number, given = rows) => [ukSanctionsFile({ publishedAt }, given)]
const changed = ([file]: readonly SampleFile[], from: string, to: string): SampleFile[] => {
  const text = new TextDecoder().decode(file?.bytes)
  expect(text).toContain(from)
  return [{ name: file?.name ?? "", bytes: new TextEncoder().encode(text.replaceAll(from, to)) }]
}

async function stateOf({ store, root, log, machine }: Bench) {
  const loaded = await loadSnapshots({ store, snapshotsDirectory: root, log })
  return sourceStates(LISTS, loaded, { disabled: [], at: machine.now() }).find(({ sourceId }) => sourceId === UK)
}

/** An import bench that imported the hundred entries a day before now. */
async function imported(): Promise<Bench> {
  const bench = importBench()
  const first = await bench.bring(UK, published(START - DAY), { modifiedAt: START - DAY })
  expect(hardCodes(first)).toEqual([])
  return bench
}

describe("a next publication", () => {
  const refusals: readonly [what: string, code: string, files: () => readonly SampleFile[]][] = [
    ["of 89 in 100 entries", "SHRUNK", () => published(START, rows.slice(0, 89))],
    ["without four in 100 of the entries", "SHRUNK", () => published(START, rows.slice(4))],
    ["of half as many again and more", "EXPLODED", () => published(START, [...rows, ...twins(60)])],
    ["that lost its birth dates", "FILL_RATE", () => changed(published(START), "01/02/1970", "")],
    ["that lost its regimes", "FILL_RATE", () => changed(published(START), rows[0]?.["Regime Name"] ?? "-", "")],
    ["that lost its nationalities", "FILL_RATE", () => changed(published(START), "Belarus", "")],
    ["of an earlier day", "OLDER_THAN_ACTIVE", () => published(START - 2 * DAY)],
  ]
  test.each(refusals)("%s is refused, and accepted for exactly its bytes", async (_what, code, files) => {
    await using bench = await imported()
    const refused = await bench.bring(UK, files())
    expect(hardCodes(refused)).toContain(code)
    expect((await bench.active(UK))?.entries).toBe(100)
    const accepted = await bench.bring(UK, files(), { acceptShrink: refused.rawSha256 })
    expect(accepted.imported).toBe(true)
  })

  test("with three entries fewer is imported, and the removed entries stay screened", async () => {
    await using bench = await imported()
    const report = await bench.bring(UK, published(START, rows.slice(3)))
    expect([report.imported, report.entries]).toEqual([true, 97])
    const { snapshots } = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
    expect(snapshots.get(UK)?.stored.removed.map(({ party }) => [party.entryId, party.measure])).toEqual([
      ["ALDALD", "hold"],
      ["ALDBIR", "hold"],
      ["ALDCED", "hold"],
    ])
  })

  test("dated more than a day from now is a schema break that no acceptance admits", async () => {
    await using bench = await imported()
    const refused = await bench.bring(UK, published(START + 3 * DAY))
    expect(hardCodes(refused)).toEqual(["SCHEMA_BREAK"])
    const again = await bench.bring(UK, published(START + 3 * DAY), { acceptShrink: refused.rawSha256 })
    expect(again.imported).toBe(false)
  })

  test("with a renamed column makes the source SCHEMA_BREAK at once; a truncated one does not", async () => {
    await using bench = await imported()
    const [file] = published(START)
    const cut = [{ name: file?.name ?? "", bytes: file?.bytes.subarray(0, -9) ?? new Uint8Array() }]
    expect(hardCodes(await bench.bring(UK, cut))).toContain("TRUNCATED")
    expect(await stateOf(bench)).toMatchObject({ health: "HEALTHY" })
    await bench.bring(UK, changed(published(START), "Designation Type", "Individual, Entity, Ship"))
    expect(await stateOf(bench)).toMatchObject({ health: "SCHEMA_BREAK", reasonCodes: ["SOURCE_SCHEMA_BREAK"] })
    expect((await bench.active(UK))?.entries).toBe(100)
  })

  test("with another name for a canary is refused", async () => {
    await using bench = await imported()
    const renamed = { ...rows[0], "Unique ID": "AFG0001", "Name 1": "", "Name 6": "Somebody quite different" }
    expect(hardCodes(await bench.bring(UK, published(START, [...rows, renamed])))).toEqual(["CANARY_MISSED"])
  })
})

test("a rollback returns to the previous publication", async () => {
  await using bench = await imported()
  bench.machine.set(START + HOUR)
  await bench.bring(UK, published(START, rows.slice(1)))
  expect((await bench.active(UK))?.entries).toBe(99)
  const back = await rollBack({ ...bench, source: listSource(ADAPTERS[UK]) })
  expect(back).toMatchObject({ outcome: "ROLLED_BACK", snapshot: { sourceId: UK, entries: 100 } })
})

test("the list ages from its retrieval time", async () => {
  await using bench = await imported()
  expect(await stateOf(bench)).toMatchObject({ health: "HEALTHY", freshness: "AGING" })
  bench.machine.set(START + 2 * DAY - HOUR)
  expect(await stateOf(bench)).toMatchObject({ health: "HEALTHY", freshness: "AGING" })
  bench.machine.set(START + 2 * DAY)
  expect(await stateOf(bench)).toMatchObject({ health: "STALE", reasonCodes: ["SOURCE_STALE"] })
})

function twins(count: number): UkRow[] {
  return rows.slice(0, count).map((row) => ({ ...row, "Unique ID": `${row["Unique ID"]}2`, "Name 2": "Mossgrove" }))
}
