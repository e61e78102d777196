import { expect } from "bun:test"
import fc from "fast-check"
import { MapReplay } from "../../src/core/map-replay.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { runs } from "../fixtures/long.ts"
import { type Entry, mapHash } from "../fixtures/reference-log.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
const key = fc.oneof(
  bytes32,
  fc.tuple(fc.nat(255), fc.nat(3)).map(([at, last]) => {
    const bytes = new Uint8Array(32)
    bytes[at >> 3] = 0x80 >> (at & 7)
    bytes[31]! |= last
    return bytes
  }),
)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

test("after every update, in any order, the root, digests and branches match the definition", () => {
  const puts = fc.array(fc.record({ key, digest: bytes32 }), { maxLength: 30 })
  fc.assert(
    fc.property(puts, bytes32, (sequence, absent) => {
      const replay = new MapReplay(sha256)
      const entries = new Map<string, Entry>()
      expect(hex(replay.root())).toBe(hex(mapHash([])))
      for (const { key, digest } of sequence) {
        replay.put(key, digest)
        entries.set(hex(key), { key, digest })
        expect(hex(replay.root())).toBe(hex(mapHash([...entries.values()])))
      }
      for (const { key, digest } of entries.values()) expect(replay.digestOf(key)).toEqual(digest)
      if (!entries.has(hex(absent))) expect(replay.digestOf(absent)).toBeNull()
      expect(replay.entryCount).toBe(entries.size)
      expect(replay.branchCount).toBe(checkBranches(replay, [...entries.values()], new Uint8Array(32), 0))
    }),
    { numRuns: runs(200) },
  )
})

/** Compares every branch at and below a place. Returns their number. */
function checkBranches(replay: MapReplay, below: readonly Entry[], way: Uint8Array, depth: number): number {
  const found = replay.branchAt(way, depth)
  if (below.length < 2) {
    expect(found).toBeNull()
    return 0
  }
  const [left, right] = [0, 1].map((side) =>
    below.filter(({ key }) => ((key[depth >> 3]! >> (7 - (depth & 7))) & 1) === side),
  ) as [Entry[], Entry[]]
  expect([hex(found!.left), hex(found!.right)]).toEqual([hex(mapHash(left, depth + 1)), hex(mapHash(right, depth + 1))])
  const rightWay = way.map((byte, i) => (i === depth >> 3 ? byte | (0x80 >> (depth & 7)) : byte))
  return (
    1 +
    checkBranches(replay, left, way, depth + 1) +
    (depth < 255 ? checkBranches(replay, right, rightWay, depth + 1) : 0)
  )
}

test("the map grows far beyond its first arrays", () => {
  const replay = new MapReplay(sha256)
  const entries = Array.from({ length: 5000 }, (_, i) => ({
    key: sha256(Uint8Array.of(i & 255, i >> 8)),
    digest: sha256(Uint8Array.of(i & 255)),
  }))
  for (const { key, digest } of entries) replay.put(key, digest)
  expect(hex(replay.root())).toBe(hex(mapHash(entries)))
})
