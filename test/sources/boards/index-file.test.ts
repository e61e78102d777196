import { describe, expect } from "bun:test"
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestBytes } from "../../../src/core/digest.ts"
import { buildIndex } from "../../../src/sources/boards/build-index.ts"
import {
  INDEX_FOLDER,
  readIndexFile,
  removeOtherIndexFiles,
  writeIndexFile,
} from "../../../src/sources/boards/index-file.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { importBench, START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

/** An index over two lists, written to its file. */
async function written() {
  const bench = importBench()
  const { US_OFAC_SDN, US_OFAC_CONSOLIDATED } = sampleLists({ publishedAt: START })
  await bench.bring("US_OFAC_SDN", US_OFAC_SDN)
  await bench.bring("US_OFAC_CONSOLIDATED", US_OFAC_CONSOLIDATED)
  const rows = [await bench.active("US_OFAC_CONSOLIDATED"), await bench.active("US_OFAC_SDN")]
  const lists = rows.flatMap((row) => (row ? [{ row, held: null }] : []))
  const built = buildIndex({ root: bench.root, now: START, lists })
  const row = writeIndexFile(bench.root, { board: "GB", key: "k", builtAt: START }, built)
  return { bench, built, row, path: join(bench.root, INDEX_FOLDER, row.file) }
}

test("an index read from the file equals the built one, number for number, with the lists in shared memory", async () => {
  const { bench, built, row } = await written()
  await using _ = bench
  const { index, fault } = readIndexFile(bench.root, row)
  expect(fault).toBeNull()
  expect(index).toEqual({ ...built, builtAt: START })
  const [first] = index?.outcomes ?? []
  expect(first?.list?.endsAt).toBe(Number.POSITIVE_INFINITY)
  expect(first?.list?.names.words.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(index?.merged.words.buffer).toBeInstanceOf(ArrayBuffer)
})

test("only the owner can open the file and its folder, and the folder holds nothing else", async () => {
  const { bench, row, path } = await written()
  await using _ = bench
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(bench.root, INDEX_FOLDER)).mode & 0o777).toBe(0o700)
  expect(readdirSync(join(bench.root, INDEX_FOLDER)).filter((name) => name.startsWith("GB-"))).toEqual([row.file])
  expect(readdirSync(join(bench.root, INDEX_FOLDER)).filter((name) => name.startsWith("."))).toEqual([])
})

test("two builds of the same snapshots give the same bytes", async () => {
  const { bench, built, row } = await written()
  await using _ = bench
  expect(writeIndexFile(bench.root, { board: "GB", key: "k", builtAt: START }, built)).toEqual(row)
})

test("an index that lacks a source is not written", async () => {
  const { bench, built } = await written()
  await using _ = bench
  const lacking = { ...built, outcomes: [{ sourceId: "US_OFAC_SDN", list: null, fault: "gone" }] }
  expect(() => writeIndexFile(bench.root, { board: "GB", key: "k", builtAt: START }, lacking)).toThrow("US_OFAC_SDN")
})

describe("a faulty index file is not used, and the reason is reported", () => {
  test("one changed byte at any place", async () => {
    const { bench, row, path } = await written()
    await using _ = bench
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at += Math.floor(bytes.length / 97)) {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ 1
      writeFileSync(path, changed)
      const { index, fault } = readIndexFile(bench.root, row)
      expect({ at, index, fault }).toEqual({ at, index: null, fault: expect.any(String) })
    }
  })

  test("a truncated file", async () => {
    const { bench, row, path } = await written()
    await using _ = bench
    truncateSync(path, row.bytes - 8)
    expect(readIndexFile(bench.root, row).fault).toBe(`it has ${row.bytes - 8} bytes where ${row.bytes} are recorded`)
  })

  test("a missing file", async () => {
    const { bench, row, path } = await written()
    await using _ = bench
    rmSync(path)
    expect(readIndexFile(bench.root, row).fault).toContain("ENOENT")
  })

  test("a file with another key and the recorded bytes", async () => {
    const { bench, row } = await written()
    await using _ = bench
    expect(readIndexFile(bench.root, { ...row, key: "other" }).fault).toContain("other snapshots")
  })

  const headers: readonly [name: string, bytes: Buffer][] = [
    ["no magic", Buffer.alloc(64)],
    [
      "a header longer than the file",
      Buffer.concat([Buffer.from("bizidx01"), Buffer.alloc(8, 0xff), Buffer.alloc(48)]),
    ],
    ["a header that is not JSON", withHeader("{")],
    ["a header without parts", withHeader("{}")],
    ["a part with a length that is not a number", withHeader('{"lists":[{"bytes":"8"}],"merged":{"bytes":0}}')],
    ["parts longer than the file", withHeader('{"lists":[{"bytes":1e15}],"merged":{"bytes":0}}')],
  ]
  test.each(headers)("%s", async (_name, bytes) => {
    const { bench, row, path } = await written()
    await using _ = bench
    writeFileSync(path, bytes)
    const { index, fault } = readIndexFile(bench.root, { ...row, bytes: bytes.length, sha256: digestBytes(bytes) })
    expect({ index, fault }).toEqual({ index: null, fault: expect.any(String) })
  })
})

function withHeader(text: string): Buffer {
  const prefix = Buffer.alloc(16)
  prefix.write("bizidx01")
  prefix.writeUInt32LE(text.length, 8)
  return Buffer.concat([prefix, Buffer.from(text)])
}

test("cleaning removes files without a row and half-written ones, and keeps files with other names", async () => {
  const { bench, row } = await written()
  await using _ = bench
  const folder = join(bench.root, INDEX_FOLDER)
  for (const name of ["GB-0.index", ".staging-1", "note.txt"]) writeFileSync(join(folder, name), "x")
  removeOtherIndexFiles(bench.root, new Set([row.file]))
  expect(readdirSync(folder).sort()).toEqual([row.file, "note.txt"].sort())
})
