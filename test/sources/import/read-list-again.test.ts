/** A release with another parser reads the kept bytes again at its first start. */
import { describe, expect } from "bun:test"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { readKept } from "../../../src/sources/boards/rebuild-index.ts"
import { readOutdatedLists } from "../../../src/sources/import/outdated-lists.ts"
import { MANIFEST_FILE, readSnapshot, snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceAdapter } from "../../../src/sources/records/adapter.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { entryHash } from "../../../src/sources/screening/suppress.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { activeSnapshot, snapshotsOnDisk } from "../../../src/store/sources/sources.ts"
import { addSuppressions } from "../../../src/store/sources/suppressions.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { ukRows, ukSanctionsFile } from "../../fixtures/uk-sanctions-list.ts"
import { importBench, START } from "../import-bench.ts"
import { query } from "../screening/sample-parties.ts"

const test = slowTests(import.meta.path)

const UK = "UK_SANCTIONS_LIST"
const HIDDEN = "G\0RANITE FJORD HOLDINGS PLC"
const [earlier] = ADAPTERS[UK].earlierParsers
const before: SourceAdapter = { ...ADAPTERS[UK], ...earlier! }
const rows = ukRows.map((row) => ({
  ...row,
  ...(row["Name 6"] === "GRANITE FJORD HOLDINGS PLC" && {
    "Name 6": HIDDEN,
    "Business registration number (s)": "INN \u2013 7710137066",
  }),
}))

/** A directory whose UK list was imported by the release before. */
async function upgraded() {
  const bench = importBench()
  const { snapshotId } = await bench.bring(UK, [ukSanctionsFile({ publishedAt: START - 26 * HOUR }, rows)], {
    adapter: before,
  })
  const row = (await bench.store.read(() => activeSnapshot(UK)))!
  expect([row.snapshotId, row.parserVersion]).toEqual([snapshotId ?? "", before.parserVersion])
  const { stored } = readSnapshot(bench.root, row)
  const entry = stored!.parties.find(({ names }) => names.some(({ text }) => text.includes("RANITE")))!
  return { bench, row, entry, parts: { ...bench, root: bench.root } }
}

const actives = (store: Store) => store.read(() => activeSnapshot(UK))
const events = (logged: readonly Record<string, unknown>[]) => logged.map(({ event }) => event)

describe("a list of an earlier parser", () => {
  test("is read again from the same bytes, with its times, and screened by the new reading", async () => {
    const { bench, row, parts } = await upgraded()
    await using _ = bench
    bench.machine.set(START + HOUR)
    await readOutdatedLists(parts)
    const now = (await actives(bench.store))!
    expect(now).toEqual({
      ...row,
      snapshotId: now.snapshotId,
      partiesSha256: now.partiesSha256,
      parserVersion: ADAPTERS[UK].parserVersion,
      importedAt: formatInstant(bench.machine.now()),
      findings: now.findings,
      counts: now.counts,
    })
    expect(now.snapshotId).not.toBe(row.snapshotId)
    const { stored } = readSnapshot(bench.root, now)
    const index = new NameIndex({ snapshotIds: {}, parties: stored!.parties })
    const [hit] = screen(index, query("Granite Fjord Holdings PLC")).hits
    expect([hit?.score, hit?.basis]).toEqual([1, "EXACT_NAME"])
    const [byNumber] = screen(
      index,
      query("Somebody Else", { identifiers: [{ scheme: "tax", value: "7710137066" }] }),
    ).hits
    expect(byNumber?.entryId).toBe(hit!.entryId)
    await readOutdatedLists(parts)
    expect((await actives(bench.store))?.snapshotId).toBe(now.snapshotId)
  })

  test("keeps its old snapshot, with which the earlier parser screens a stored delivery again", async () => {
    const { bench, row, parts } = await upgraded()
    await using _ = bench
    await readOutdatedLists(parts)
    const { sourceId, snapshotId, rawSha256, sourceVersion, parserVersion } = row
    const used = { sourceId, snapshotId, rawSha256, sourceVersion, parserVersion }
    expect(readKept(bench.root, used).state).toBe("SAME")
    expect(readKept(bench.root, { ...used, parserVersion: "uk-sanctions-list/0.9.0" }).state).toBe("ABSENT")
    // The new parser gives other parties than those that are kept there.
    expect(readKept(bench.root, { ...used, parserVersion: ADAPTERS[UK].parserVersion }).state).toBe("DIFFERS")
  })

  test("names the judgements whose entry is now read otherwise, and no others", async () => {
    const { bench, row, entry, parts } = await upgraded()
    await using _ = bench
    const { stored } = readSnapshot(bench.root, row)
    const other = stored!.parties.find(({ entryId }) => entryId !== entry.entryId)!
    for (const [at, one] of [entry, other].entries())
      await bench.store.run(() =>
        addSuppressions([
          {
            suppressionId: `sup_${at}`,
            partyDigest: `sha256:${at}`,
            party: JSON.stringify({ name: "Granite", type: "org", identifiers: [], countries: [] }),
            ...{ sourceId: UK, entryId: one.entryId, entryHash: entryHash(one), author: "A", reason: "R" },
            createdAt: formatInstant(START),
            expiresAt: formatInstant(START + 1000 * HOUR),
            detailsVersion: null,
            detailsDigest: null,
          },
        ]),
      )
    await readOutdatedLists(parts)
    const named = bench.logged.filter(({ event }) => event === "suppression_needs_confirmation")
    expect(named.map(({ suppression_id }) => suppression_id)).toEqual(["sup_0"])
  })

  test("stays in use if the process ends before the swap, and the next start begins again", async () => {
    const { bench, row, parts } = await upgraded()
    await using _ = bench
    const killed: Store = Object.create(bench.store, {
      run: { value: () => Promise.reject(new Error("killed")) },
    })
    await expect(readOutdatedLists({ ...parts, store: killed })).rejects.toThrow("killed")
    expect(await actives(bench.store)).toEqual(row)
    await readOutdatedLists(parts)
    expect((await actives(bench.store))?.parserVersion).toBe(ADAPTERS[UK].parserVersion)
    await bench.bring(UK, [ukSanctionsFile({ publishedAt: START }, rows)])
    const kept = await bench.store.read(() => snapshotsOnDisk(UK))
    for (const { snapshotId } of kept) expect(existsSync(snapshotFolder(bench.root, UK, snapshotId))).toBe(true)
  })

  test("stays in use if its bytes are damaged or another import runs, and a line is logged", async () => {
    const { bench, row, parts } = await upgraded()
    await using _ = bench
    const damaged = { ...parts, root: `${bench.root}-elsewhere` }
    await readOutdatedLists(damaged)
    expect(await actives(bench.store)).toEqual(row)
    expect(events(bench.logged)).toContain("list_not_read_again")
    const { withImportLock } = await import("../../../src/sources/import/import-lock.ts")
    await withImportLock(bench.root, () => readOutdatedLists(parts))
    expect(events(bench.logged)).toContain("lists_not_read_again")
    expect(await actives(bench.store)).toEqual(row)
  })

  test.each<[what: string, text: string | null]>([
    ["cut", '{"format": "svc-snapshot-1", "files": ['],
    ["of another form", "{}"],
    ["gone", null],
  ])(
    "stays in use while its manifest is %s, with the file in the line, and is read again after it is mended",
    async (_, text) => {
      const { bench, row, parts } = await upgraded()
      await using _bench = bench
      const path = join(snapshotFolder(bench.root, UK, row.snapshotId), MANIFEST_FILE)
      const whole = readFileSync(path)
      if (text === null) rmSync(path)
      else writeFileSync(path, text)
      await readOutdatedLists(parts)
      expect(await actives(bench.store)).toEqual(row)
      const [line] = bench.logged.filter(({ event }) => event === "list_not_read_again")
      expect(String(line?.["why"])).toContain(path)
      writeFileSync(path, whole)
      await readOutdatedLists(parts)
      expect((await actives(bench.store))?.parserVersion).toBe(ADAPTERS[UK].parserVersion)
    },
  )

  test("with a damaged manifest is replaced by the next import", async () => {
    const { bench, row, parts } = await upgraded()
    await using _ = bench
    writeFileSync(join(snapshotFolder(bench.root, UK, row.snapshotId), MANIFEST_FILE), "damaged")
    await bench.bring(UK, [ukSanctionsFile({ publishedAt: START }, rows)])
    await readOutdatedLists(parts)
    expect((await actives(bench.store))?.parserVersion).toBe(ADAPTERS[UK].parserVersion)
    expect(events(bench.logged)).not.toContain("list_not_read_again")
  })
})
