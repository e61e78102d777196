import { expect, test } from "bun:test"
import fc from "fast-check"
import { sha256 } from "../../src/core/sha256.ts"
import { type MapProof, mapKeyBit, mapKeyOf, sharedBits, verifyMapPath } from "../../src/core/verifiable-map.ts"
import { runs } from "../fixtures/long.ts"
import { bit, type Entry, mapHash, mapPathOf, sha } from "../fixtures/reference-log.ts"

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Keys with long common prefixes, which real digests do not have. */
const key = fc.oneof(
  bytes32,
  fc.tuple(fc.nat(255), fc.nat(255)).map(([at, last]) => {
    const bytes = new Uint8Array(32)
    bytes[at >> 3] = 0x80 >> (at & 7)
    bytes[31] = last
    return bytes
  }),
)
const entries: fc.Arbitrary<Entry[]> = fc.uniqueArray(fc.record({ key, digest: bytes32 }), {
  minLength: 1,
  maxLength: 24,
  selector: ({ key }) => Buffer.from(key).toString("hex"),
})

test("the path of every entry of any map verifies against the defined root", () => {
  fc.assert(
    fc.property(entries, (all) => {
      const root = mapHash(all)
      for (const { key, digest } of all) {
        expect(verifyMapPath(sha256, { key, digest, path: mapPathOf(all, key), root })).toBe(true)
      }
    }),
    { numRuns: runs(200) },
  )
})

test("another digest, key, root or path fails, and so does an outdated entry", () => {
  fc.assert(
    fc.property(entries, fc.nat(), fc.integer({ min: 1, max: 255 }), bytes32, (all, where, flip, newer) => {
      const own = all[where % all.length]!
      const path = mapPathOf(all, own.key)
      const root = mapHash(all)
      const flipped = (bytes: Uint8Array) => bytes.map((byte, i) => (i === where % 32 ? byte ^ flip : byte))
      const proof = { key: own.key, digest: own.digest, path, root }
      const verifies = (change: Partial<MapProof>) => verifyMapPath(sha256, { ...proof, ...change })
      expect(verifies({ digest: flipped(own.digest) })).toBe(false)
      expect(verifies({ key: flipped(own.key) })).toBe(false)
      expect(verifies({ root: flipped(root) })).toBe(false)
      expect(verifies({ path: [...path, root] })).toBe(false)
      if (path.length > 0) {
        const at = where % path.length
        expect(verifies({ path: path.with(at, flipped(path[at]!)) })).toBe(false)
        expect(verifies({ path: path.toSpliced(at, 1) })).toBe(false)
      }
      fc.pre(Buffer.compare(newer, own.digest) !== 0)
      const later = mapHash(all.map((entry) => (entry === own ? { ...own, digest: newer } : entry)))
      expect(verifies({ root: later })).toBe(false)
    }),
    { numRuns: runs(300) },
  )
})

test("an empty map contains no entry, and a branch hash is not an entry", () => {
  const [a, b] = [sha(Uint8Array.of(1)), sha(Uint8Array.of(2))]
  const verifies = (digest: Uint8Array, root: Uint8Array) => verifyMapPath(sha256, { key: a, digest, path: [], root })
  expect(verifies(b, new Uint8Array(32))).toBe(false)
  expect(verifies(b, sha(Uint8Array.of(3), a, b))).toBe(false)
  expect(verifies(b.slice(1), sha(Uint8Array.of(2), a, b.slice(1)))).toBe(false)
})

test("a path longer than the bits of a key is refused before it is hashed", () => {
  const hash = new Uint8Array(32)
  const counting = () => {
    throw new Error("hashed")
  }
  expect(verifyMapPath(counting, { key: hash, digest: hash, path: new Array(257).fill(hash), root: hash })).toBe(false)
})

test("bits are read most significant first", () => {
  fc.assert(
    fc.property(bytes32, fc.nat(255), (bytes, depth) => {
      expect(mapKeyBit(bytes, depth)).toBe(bit(bytes, depth) as 0 | 1)
      const other = bytes.map((byte, i) => (i === depth >> 3 ? byte ^ (0x80 >> (depth & 7)) : byte))
      expect(sharedBits(bytes, other)).toBe(depth)
      expect(sharedBits(bytes, bytes)).toBe(256)
    }),
  )
})

test("the key of an agent is the labelled hash of its id", () => {
  expect(mapKeyOf(sha256, "svc:agent:x")).toEqual(sha(Buffer.from("SVC-MAP-KEY-V1\nsvc:agent:x")))
})
