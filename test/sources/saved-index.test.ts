/** Which index a board opens: the one that an import or a rollback saved for exactly these snapshots, or one that it builds. */
import { describe, expect } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestOf } from "../../src/core/digest.ts"
import { DAY } from "../../src/core/time.ts"
import { buildIndex, openSaved } from "../../src/sources/boards/build-index.ts"
import { INDEX_FOLDER, type SavedIndexRow, writeIndexFile } from "../../src/sources/boards/index-file.ts"
import { indexKey } from "../../src/sources/boards/index-key.ts"
import { programDigest } from "../../src/sources/boards/program-digest.ts"
import { activateWithIndex } from "../../src/sources/boards/save-index.ts"
import { putSavedIndex } from "../../src/sources/boards/saved-index.ts"
import { rollBack } from "../../src/sources/import/roll-back.ts"
import { snapshotFolder } from "../../src/sources/import/snapshot-files.ts"
import { listSource } from "../../src/sources/import/source.ts"
import { ADAPTERS } from "../../src/sources/list-registry.ts"
import { PARAMETER_DIGEST } from "../../src/sources/screening/parameters.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench, START } from "./import-bench.ts"
import {
  activeOf,
  type Bench,
  filesOf,
  MANY,
  open,
  pathOf,
  rowFilesOf,
  rowOf,
  SDN,
  stateOf,
  warnings,
  ZEPHYR,
} from "./saved-indexes.ts"

const test = slowTests(import.meta.path)

/** An index of other names under the row of the present snapshots. A search that finds Zephyr proves that the file was opened. */
async function plantZephyr(bench: Bench): Promise<void> {
  await using other = importBench()
  await other.bring(SDN, other.sdn({ extraSdn: [ZEPHYR, ...MANY] }))
  const foreign = await activeOf(other)
  const built = buildIndex({ root: other.root, now: START, lists: [{ row: foreign, held: null }] })
  const { key } = await rowOf(bench)
  const planted = writeIndexFile(bench.root, { board: "US", key, builtAt: START }, built)
  putSavedIndex(bench.root, planted)
}

/** The file of the only row gets the row of another index. */
function moveRow(bench: Bench, row: SavedIndexRow): void {
  const [name = ""] = rowFilesOf(bench)
  rmSync(join(bench.root, INDEX_FOLDER, name))
  putSavedIndex(bench.root, row)
}

describe.each([
  ["small", []],
  ["large", MANY],
])("a %s index", (_size, extraSdn) => {
  test("is saved by an import and opened from its file at a start", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn }))
    expect((await rowOf(bench)).key).toBe(indexKey([await activeOf(bench)]))
    expect(filesOf(bench)).toEqual([(await rowOf(bench)).file])
    await plantZephyr(bench)
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("MATCH")
    expect(warnings(bench)).toEqual([])
  })

  test("is opened from its file after another process imported", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn }))
    const { board, poll } = await open(bench)
    const { snapshotId } = await bench.bring(
      "US_OFAC_CONSOLIDATED",
      sampleLists({ publishedAt: START }).US_OFAC_CONSOLIDATED,
    )
    const { key } = await rowOf(bench)
    await plantZephyr(bench)
    expect((await rowOf(bench)).key).toBe(key)
    await poll()
    expect(stateOf(board)).toBe("MATCH")
    expect(board.index().snapshotIds["US_OFAC_CONSOLIDATED"]).toBeUndefined()
    expect(snapshotId).not.toBeNull()
  })

  test("with a file edited to hide a listed party is not used: it is rebuilt, and a line is logged", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn] }))
    const path = pathOf(bench, await rowOf(bench))
    const bytes = readFileSync(path)
    writeFileSync(path, Buffer.from(bytes.toString("latin1").replaceAll("zephyr", "zzzzzz"), "latin1"))
    expect(readFileSync(path).equals(bytes)).toBe(false)
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("MATCH")
    expect(bench.logged).toContainEqual(
      expect.objectContaining({ event: "index_file_unused", why: "it has other bytes than recorded" }),
    )
  })

  test("without its file is rebuilt", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn] }))
    rmSync(join(bench.root, INDEX_FOLDER), { recursive: true })
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("MATCH")
    expect(warnings(bench)).toEqual([])
    // The index alone is gone.
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn], publishedAt: START + DAY }))
    rmSync(pathOf(bench, await rowOf(bench)))
    expect(stateOf((await open(bench)).board)).toBe("MATCH")
    expect(warnings(bench)).toEqual(["index_file_unused"])
  })

  test.each([
    ["missing", null],
    ["empty", ""],
    ["torn", '{"board":"US","key":"sha256:'],
    ["of another form", "[]"],
  ])("is built and saved again if its row is %s", async (_what, content) => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn] }))
    const [saved, [name = ""]] = [await rowOf(bench), rowFilesOf(bench)]
    const path = join(bench.root, INDEX_FOLDER, name)
    if (content === null) rmSync(path)
    else writeFileSync(path, content)
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("MATCH")
    expect(warnings(bench)).toEqual([])
    // A small index is built at each start.
    if (extraSdn.length > 0) expect([await rowOf(bench), filesOf(bench)]).toEqual([saved, [saved.file]])
  })

  test("of another program, scorer or snapshot is not opened", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn }))
    await plantZephyr(bench)
    const row = await rowOf(bench)
    moveRow(bench, { ...row, key: digestOf("of another") })
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("CLEAR")
    expect(warnings(bench)).toEqual([])
  })

  test("of the previous scorer is rebuilt", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn }))
    await plantZephyr(bench)
    const row = await rowOf(bench)
    const snapshots = [await activeOf(bench)].map(({ snapshotId, rawSha256, partiesSha256 }) => [
      snapshotId,
      rawSha256,
      partiesSha256,
    ])
    const keyOf = (scorer: string): string => digestOf({ program: programDigest(), scorer, snapshots })
    expect(row.key).toBe(keyOf(PARAMETER_DIGEST))
    // The digest of svc-name-score/1.1.0.
    const before = keyOf("sha256:a10357952802b23a4bc9f58794737df2ab4d2363a7c1dab62ea4646725053f67")
    moveRow(bench, { ...row, key: before })
    expect(stateOf((await open(bench)).board)).toBe("CLEAR")
  })

  test("with a damaged snapshot is not opened, and the source is UNAVAILABLE as without a file", async () => {
    await using bench = importBench()
    const { snapshotId } = await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn] }))
    writeFileSync(join(snapshotFolder(bench.root, SDN, snapshotId ?? ""), "sdn.csv"), "\u001a")
    const { board } = await open(bench)
    expect(board.states(START).find(({ sourceId }) => sourceId === SDN)?.health).toBe("UNAVAILABLE")
    expect(stateOf(board)).toBe("INSUFFICIENT")
  })

  test("of another time is not opened: an entry is screened for exactly thirty days after it left its list", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...extraSdn] }))
    bench.machine.set(START + DAY)
    const without = bench.sdn({ extraSdn })
    const { rawSha256 } = await bench.bring(SDN, without)
    expect((await bench.bring(SDN, without, { acceptShrink: rawSha256 })).imported).toBe(true)
    expect(stateOf((await open(bench)).board)).toBe("POSSIBLE_MATCH")
    bench.machine.set(START + 31 * DAY)
    expect(stateOf((await open(bench)).board)).toBe("CLEAR")
    // After the clock goes back the saved index is from a later time and must not be used.
    bench.machine.set(START + 2 * DAY)
    expect(stateOf((await open(bench)).board)).toBe("POSSIBLE_MATCH")
  })
})

test("each import and each rollback leaves one index file of its board, for the snapshots that are then active", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const first = await rowOf(bench)
  bench.machine.set(START + DAY)
  await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR] }))
  const second = await rowOf(bench)
  expect([second.key === first.key, filesOf(bench)]).toEqual([false, [second.file]])
  expect(stateOf((await open(bench)).board)).toBe("MATCH")
  await rollBack({ ...bench, source: listSource(ADAPTERS[SDN]) })
  expect((await rowOf(bench)).key).toBe(first.key)
  expect(filesOf(bench)).toEqual([(await rowOf(bench)).file])
  const { board } = await open(bench)
  expect(stateOf(board)).toBe("CLEAR")
  await bench.bring("UK_SANCTIONS_LIST", sampleLists({ publishedAt: START }).UK_SANCTIONS_LIST)
  expect(filesOf(bench).map((name) => name.slice(0, 3))).toEqual(["GB-", "US-"])
  expect(warnings(bench)).toEqual([])
})

test("the index file after imports of several lists equals an index built from scratch", async () => {
  await using bench = importBench()
  const { US_SAM_EXCLUSIONS, US_TRADE_CSL } = sampleLists({ publishedAt: START })
  await bench.bring("US_SAM_EXCLUSIONS", US_SAM_EXCLUSIONS)
  await bench.bring(SDN, bench.sdn({ extraSdn: MANY }))
  await bench.bring("US_TRADE_CSL", US_TRADE_CSL)
  const rows = [await activeOf(bench), await bench.active("US_SAM_EXCLUSIONS"), await bench.active("US_TRADE_CSL")]
  const lists = rows.flatMap((row) => (row ? [{ row, held: null }] : []))
  const { index } = openSaved({ root: bench.root, now: START, lists, saved: await rowOf(bench) })
  expect(index).toEqual({ ...buildIndex({ root: bench.root, now: START, lists }), builtAt: START } as typeof index)
})

test("a refused import leaves the file and the row unchanged", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const before = await rowOf(bench)
  expect((await bench.bring(SDN, bench.sdn().slice(1))).imported).toBe(false)
  expect([await rowOf(bench), filesOf(bench)]).toEqual([before, [before.file]])
})

test("a swap that another process prevented leaves no file of its own", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const before = await rowOf(bench)
  // biome-ignore lint/correctness/useYield: a unit that decides without a statement
  const prevented = function* () {
    return false
  }
  const next = { ...(await activeOf(bench)), importedAt: "2026-11-21T00:00:00.000Z" }
  expect(await activateWithIndex(bench, next, START + 1, { activate: prevented })).toBe(false)
  expect([await rowOf(bench), filesOf(bench)]).toEqual([before, [before.file]])
})
