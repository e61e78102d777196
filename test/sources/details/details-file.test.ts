import { afterAll, expect, test } from "bun:test"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { type Described, DetailsWriter, openDetails } from "../../../src/sources/details/details-file.ts"
import { isKeepable } from "../../../src/sources/import/snapshot-files.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const fresh = freshDirectory()
afterAll(() => fresh[Symbol.dispose]())
const path = join(fresh.path, "details.jsonl")
const DESCRIBED: Described = { sourceId: "US_OFAC_SDN", detailsVersion: "v/1", rawSha256: `sha256:${"ab".repeat(32)}` }

function entry(id: string, text = `name of ${id}`): EntryDetails {
  return { source_id: "US_OFAC_SDN", entry_id: id, names: [{ text, kind: "primary", quality: "NOT_STATED" }] }
}

function written(ids: readonly string[], described = DESCRIBED, text?: string): { bytes: Buffer; sha256: string } {
  rmSync(path, { force: true })
  const writer = new DetailsWriter(path, described)
  for (const id of ids) writer.add(entry(id, text))
  const sha256 = writer.finish()
  return { bytes: readFileSync(path), sha256 }
}

function opened(bytes: Uint8Array, sha256: string, described = DESCRIBED) {
  writeFileSync(path, bytes)
  return openDetails(path, described, [sha256])
}

const IDS = Array.from({ length: 500 }, (_, at) => (at % 7 === 0 ? `é"]${at}` : `${at * 31}`))

test("every entry is found by its id, and no other", () => {
  for (const ids of [[], ["1"], ["2", "1"], IDS]) {
    const { bytes, sha256 } = written(ids)
    const { reader } = opened(bytes, sha256)
    for (const id of ids) expect(reader?.read(id)?.details).toEqual(entry(id))
    for (const id of ["", "~", "00", "306x"]) expect(reader?.read(id) ?? null).toBeNull()
    reader?.close()
  }
})

test("the file is lines of JSON, and its last 24 bytes are the offset of the index", () => {
  const { bytes } = written(IDS)
  const lines = bytes.toString("utf8").split("\n").slice(0, -2)
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    ...{ format: "svc-details-1", source_id: "US_OFAC_SDN", details_version: "v/1", raw_sha256: DESCRIBED.rawSha256 },
  })
  const index = JSON.parse(lines.at(-1) ?? "") as [string, number, number, string][]
  expect(index.map(([id]) => id)).toEqual([...IDS].sort())
  for (const [id, at, length] of index)
    expect(JSON.parse(bytes.subarray(at, at + length).toString())).toEqual(entry(id))
  expect(bytes.subarray(Number(bytes.subarray(-24).toString())).toString()).toStartWith('[["')
})

test("a flipped bit anywhere: the file is not opened, or the entry is not read, or it is the entry", () => {
  const ids = IDS.slice(0, 6)
  const { bytes, sha256 } = written(ids)
  let refused = 0
  for (let at = 0; at < bytes.length; at++) {
    const flipped = Buffer.from(bytes)
    flipped[at]! ^= 1 << (at % 8)
    const { reader } = opened(flipped, sha256)
    if (reader === null) refused += 1
    else
      for (const id of ids) {
        const read = reader.read(id)
        if (read?.details) expect(read.details).toEqual(entry(id))
        else refused += 1
      }
    reader?.close()
  }
  // Each bit belongs to the header, to one entry, to the index or to the offset. A line feed between two lines belongs to none.
  expect(refused).toBeGreaterThanOrEqual(bytes.length - ids.length)
})

test("a cut file, another file and a missing file are not opened", () => {
  const { bytes, sha256 } = written(IDS)
  for (const length of [0, 1, 23, 24, 500, bytes.length - 25, bytes.length - 1])
    expect(opened(bytes.subarray(0, length), sha256).reader).toBeNull()
  for (const other of [{ rawSha256: `sha256:${"cd".repeat(32)}` }, { detailsVersion: "v/2" }, { sourceId: "X" }]) {
    const swapped = written(IDS, { ...DESCRIBED, ...other })
    expect(opened(swapped.bytes, swapped.sha256).fault).toBe("it belongs to other files, or to another release")
  }
  // A file that was made again with other texts agrees with itself, but not with the database.
  expect(opened(written(IDS, DESCRIBED, "forged").bytes, sha256).fault).toBe("it has other bytes than recorded")
  expect(openDetails(join(fresh.path, "none"), DESCRIBED, [sha256])).toMatchObject({ reader: null, isMissing: true })
})

test("a line that changes while the file is open is not believed", () => {
  const { bytes, sha256 } = written(IDS)
  const { reader } = opened(bytes, sha256)
  const text = readFileSync(path, "latin1").replace("name of 31", "name 0f 31")
  writeFileSync(path, text, "latin1")
  expect(reader?.read("31")?.fault).toBe("the line of 31 has other bytes than its index states")
  expect(reader?.read("62")?.details).toEqual(entry("62"))
  reader?.close()
})

test("an id or an entry over its limit has no details, and the others keep theirs", () => {
  rmSync(path, { force: true })
  const writer = new DetailsWriter(path, DESCRIBED)
  writer.add(entry("x".repeat(300)))
  writer.add(entry("big", "y".repeat(2_000_000)))
  writer.add(entry("1"))
  expect(writer.size).toBe(1)
  writer.discard()
  expect(existsSync(path)).toBe(false)
})

test("no publisher's file may have the name", () => {
  expect(isKeepable("details.jsonl")).toBe(false)
  expect(isKeepable("Details.JSONL")).toBe(false)
})
