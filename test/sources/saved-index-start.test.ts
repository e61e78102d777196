/** Where a large index is built, and who saves it. */
import { describe, expect } from "bun:test"
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buildIndex } from "../../src/sources/boards/build-index.ts"
import { INDEX_FOLDER, type SavedIndexRow } from "../../src/sources/boards/index-file.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import { provideIndex, SMALL_BYTES_MAX } from "../../src/sources/boards/provide-index.ts"
import { PARTIES_FILE, snapshotFolder } from "../../src/sources/import/snapshot-files.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
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
  rowOf,
  SDN,
  stateOf,
  warnings,
  ZEPHYR,
} from "./saved-indexes.ts"

const test = slowTests(import.meta.path)

describe("a service that finds no usable file of a large index", () => {
  test("saves its new index, and the next start opens that file", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: MANY }))
    const saved = await rowOf(bench)
    writeFileSync(pathOf(bench, saved), "damaged")
    await open(bench)
    const again = await rowOf(bench)
    expect(again).toEqual(saved)
    expect(filesOf(bench)).toEqual([again.file])
    expect(warnings(bench)).toEqual(["index_file_unused"])
    await open(bench)
    expect(warnings(bench)).toHaveLength(1)
  })

  test("saves nothing if a source changed in the meantime", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: MANY }))
    rmSync(join(bench.root, INDEX_FOLDER), { recursive: true })
    let imported: SavedIndexRow | undefined
    await boardByRounds({
      ...bench,
      snapshotsDirectory: bench.root,
      sources: REQUIRED_US_SOURCES,
      name: "US",
      disabled: [],
      build: async (task, options) => {
        const built = await provideIndex(task, options)
        await bench.bring("US_OFAC_CONSOLIDATED", sampleLists({ publishedAt: START }).US_OFAC_CONSOLIDATED)
        imported = await rowOf(bench)
        return built
      },
    })
    expect([await rowOf(bench), filesOf(bench)]).toEqual([imported!, [imported!.file]])
    expect(warnings(bench)).toEqual(["index_not_saved"])
  })

  test("serves requests although the disk accepts no file, and logs it", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn({ extraSdn: [ZEPHYR, ...MANY] }))
    rmSync(join(bench.root, INDEX_FOLDER), { recursive: true })
    writeFileSync(join(bench.root, INDEX_FOLDER), "in the way")
    const { board } = await open(bench)
    expect(stateOf(board)).toBe("MATCH")
    expect(warnings(bench)).toEqual(["index_not_saved"])
  })
})

describe("the place of a build", () => {
  const signal = new AbortController().signal

  /** Makes every start of a thread fail while `work` runs. */
  async function withoutThreads<T>(work: () => Promise<T>): Promise<T> {
    const { Worker } = globalThis
    globalThis.Worker = class {
      constructor() {
        throw new Error("a thread was started")
      }
    } as unknown as typeof Worker
    try {
      return await work()
    } finally {
      globalThis.Worker = Worker
    }
  }

  const taskOf = async (bench: Bench) => ({
    root: bench.root,
    now: START,
    lists: [{ row: await activeOf(bench), held: null }],
  })

  test("is this process for a small index, at a start and later", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn())
    const task = await taskOf(bench)
    for (const starting of [true, false]) {
      const built = await withoutThreads(() => provideIndex(task, { signal, starting }))
      expect(built).toEqual(buildIndex(task))
    }
  })

  test("is a thread for a large index, unless its file is opened at a start", async () => {
    await using bench = importBench()
    const { snapshotId } = await bench.bring(SDN, bench.sdn({ extraSdn: MANY }))
    const parties = join(snapshotFolder(bench.root, SDN, snapshotId ?? ""), PARTIES_FILE)
    expect(readFileSync(parties).length).toBeGreaterThan(SMALL_BYTES_MAX)
    const task = await taskOf(bench)
    const saved = await rowOf(bench)
    const provided = (starting: boolean, file: SavedIndexRow | null) =>
      withoutThreads(() => provideIndex({ ...task, saved: file }, { signal, starting }))
    expect((await provided(true, saved)).merged).toEqual(buildIndex(task).merged)
    await expect(provided(true, null)).rejects.toThrow("a thread was started")
    await expect(provided(false, saved)).rejects.toThrow("a thread was started")
  })
})
