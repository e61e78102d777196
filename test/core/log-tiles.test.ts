import { expect, test } from "bun:test"
import fc from "fast-check"
import { readEntries, readTilePath, type Tile, writeEntries, writeTilePath } from "../../src/core/log-tiles.ts"

const named: readonly [string, Tile][] = [
  ["0/000", { level: 0, index: 0, width: 256 }],
  ["0/x001/x234/067", { level: 0, index: 1_234_067, width: 256 }],
  ["1/x999/999.p/255", { level: 1, index: 999_999, width: 255 }],
  ["63/x001/000.p/1", { level: 63, index: 1000, width: 1 }],
  ["entries/005.p/7", { level: "entries", index: 5, width: 7 }],
]
test.each(named)("%s has the name that tlog-tiles defines", (text, tile) => {
  expect(writeTilePath(tile)).toBe(text)
  expect(readTilePath(text)).toEqual(tile)
})

test("every tile is read back from its name", () => {
  const level = fc.oneof(fc.nat(63), fc.constant("entries" as const))
  fc.assert(
    fc.property(level, fc.nat(2 ** 45 - 2), fc.integer({ min: 1, max: 256 }), (level, index, width) => {
      expect(readTilePath(writeTilePath({ level, index, width }))).toEqual({ level, index, width })
    }),
  )
})

test.each([
  "",
  "0",
  "0/",
  "0/0",
  "00/000",
  "64/000",
  "0/x000/001",
  "0/001/002",
  "0/x001",
  "0/1000",
  "0/000.p/0",
  "0/000.p/256",
  "0/000.p/07",
  "0/000.p/",
  "0/000/",
  "data/000",
  "0/x001/x001/x001/x001/x001/001",
  "-1/000",
  "0/00%30",
  "0/x035/x184/x372/x088/831",
  "entries/x999/x999/x999/x999/999",
])("%p is not the name of a tile", (text) => {
  expect(readTilePath(text)).toBeNull()
})

test("entries are read back one by one; a cut, extended or miscounted text is refused", () => {
  const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 })
  fc.assert(
    fc.property(entries, fc.nat(), (given, cut) => {
      const bytes = writeEntries(given)
      expect(readEntries(bytes, given.length)).toEqual(given)
      expect(readEntries(bytes, given.length + 1)).toBeNull()
      expect(readEntries(new Uint8Array([...bytes, 0]), given.length)).toBeNull()
      if (bytes.length > 0) expect(readEntries(bytes.slice(0, cut % bytes.length), given.length)).toBeNull()
    }),
  )
})
