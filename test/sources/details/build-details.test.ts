import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test"
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { buildDetails, type DetailsTask } from "../../../src/sources/details/build-details.ts"
import { DetailsWriter } from "../../../src/sources/details/details-file.ts"
import { buildDetailsOf } from "../../../src/sources/details/provide-details.ts"
import { removeOrphans, snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SnapshotRow } from "../../../src/store/sources/sources.ts"
import { importBench } from "../import-bench.ts"

const SDN = "US_OFAC_SDN"
/** Longer than the writer's buffer, so that the file is begun. */
const LONG: EntryDetails = { source_id: SDN, entry_id: "1", names: [], type: ["x".repeat(1_200_000)] }

let bench: ReturnType<typeof importBench>
let row: SnapshotRow
let task: DetailsTask
let path: string
beforeEach(async () => {
  bench = importBench()
  await bench.bring(SDN, bench.sdn())
  const active = await bench.active(SDN)
  if (!active) throw new Error("nothing is active")
  row = active
  const { snapshotId, rawSha256 } = row
  task = { root: bench.root, sourceId: SDN, snapshot: { snapshotId, rawSha256, digests: [] }, others: [] }
  path = join(snapshotFolder(bench.root, SDN, snapshotId), "details.jsonl")
})
afterEach(() => bench[Symbol.asyncDispose]())

const filesOfDetails = () =>
  readdirSync(bench.root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /details|staging/.test(join(one.parentPath, one.name)))
    .map((one) => join(one.parentPath, one.name))

const unfinished = () => filesOfDetails().filter((file) => file.startsWith(join(bench.root, ".details")))

/** Paths below the folder of all snapshots that this process has open. */
function openPaths(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      return target.startsWith(bench.root) ? [target] : []
    } catch {
      return []
    }
  })
}

test("an import that begins meanwhile leaves the file that is being built", async () => {
  const before = readFileSync(path)
  rmSync(path)
  const { details } = ADAPTERS[SDN]
  let begun = 0
  using _ = spyOn(ADAPTERS[SDN], "details").mockImplementation((files, emit) => {
    details(files, emit)
    for (const entry_id of ["1", "2"]) emit({ ...LONG, entry_id })
    begun = filesOfDetails().length
    removeOrphans(bench.root, SDN, new Set([task.snapshot.snapshotId]))
  })
  expect(buildDetails(task)).toMatchObject({ fault: null })
  expect(begun).toBe(1)
  expect(readFileSync(path).length).toBeGreaterThan(before.length)
  expect(filesOfDetails()).toEqual([path])
})

test("a full disk leaves the file of before, no other one, and no open file", async () => {
  const before = readFileSync(path)
  const { details } = ADAPTERS[SDN]
  using _ = spyOn(ADAPTERS[SDN], "details").mockImplementation((files, emit) => {
    details(files, emit)
    for (const entry_id of ["1", "2"]) emit({ ...LONG, entry_id })
  })
  using _full = spyOn(DetailsWriter.prototype, "finish").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC", errno: -28 })
  })
  expect(buildDetails(task)).toMatchObject({ fault: expect.stringContaining("ENOSPC") })
  expect(filesOfDetails()).toEqual([path])
  expect(readFileSync(path).equals(before)).toBe(true)
  expect(openPaths().filter((open) => /details|staging/.test(open))).toEqual([])
})

describe("what a killed build left", () => {
  const leftover = () => {
    const folder = join(bench.root, ".details", SDN)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "left"), "half of a f")
  }

  test("does not stay when the details are built again", async () => {
    leftover()
    expect((await buildDetailsOf(bench, row, buildDetails)).fault).toBeNull()
    expect(filesOfDetails()).toEqual([path])
  })

  test("does not stay when the list is imported", async () => {
    leftover()
    await bench.bring(SDN, bench.sdn())
    expect(unfinished()).toEqual([])
  })
})

test("two builds of one list run one after the other, and an import leaves the file of the one that runs", async () => {
  let running = 0
  const slow = async (given: DetailsTask) => {
    expect(++running).toBe(1)
    const built = buildDetails(given)
    const file = join(bench.root, ".details", SDN, "running")
    writeFileSync(file, "")
    await bench.bring(SDN, bench.sdn())
    expect(unfinished()).toEqual([file])
    running--
    return built
  }
  const all = await Promise.all([1, 2].map(() => buildDetailsOf(bench, row, slow)))
  for (const { reader } of all) {
    expect(reader?.read("90001")?.details?.entry_id).toBe("90001")
    reader?.close()
  }
})

test("a build that is stopped while it waits for another one ends", async () => {
  const stopping = new AbortController()
  const other = buildDetailsOf(bench, row, async (given) => {
    const waits = buildDetailsOf(bench, row, buildDetails, stopping.signal)
    stopping.abort(new Error("stopped"))
    await expect(waits).rejects.toThrow("stopped")
    return buildDetails(given)
  })
  const { reader } = await other
  expect(reader).not.toBeNull()
  reader?.close()
})
