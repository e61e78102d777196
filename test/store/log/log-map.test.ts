import { expect } from "bun:test"
import fc from "fast-check"
import { EMPTY_MAP } from "../../../src/core/verifiable-map.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { mapEntry, mapSiblings, putMapEntry } from "../../../src/store/log/log-map.ts"
import { runs } from "../../fixtures/long.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { type Entry, mapHash, mapPathOf } from "../../fixtures/reference-log.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** Keys that differ first at any depth from 0 to 255, which real hashes do not. */
const key = fc.oneof(
  bytes32,
  fc.tuple(fc.nat(255), fc.nat(3)).map(([at, last]) => {
    const bytes = new Uint8Array(32)
    bytes[at >> 3] = 0x80 >> (at & 7)
    bytes[31]! |= last
    return bytes
  }),
)

test("after every update, in any order, the root and paths match the definition", async () => {
  const puts = fc.array(fc.record({ key, digest: bytes32 }), { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(puts, async (sequence) => {
      await using bench = await newStore()
      const entries = new Map<string, Entry>()
      await bench.store.run(function* (): Unit<void> {
        let root: Uint8Array = EMPTY_MAP
        for (const [logIndex, { key, digest }] of sequence.entries()) {
          root = yield* putMapEntry(root, key, { eventDigest: digest, logIndex })
          entries.set(Buffer.from(key).toString("hex"), { key, digest })
          const all = [...entries.values()]
          expect(plain(root)).toEqual(mapHash(all))
          expect((yield* mapEntry(key))?.logIndex).toBe(logIndex)
          for (const { key } of all) expect((yield* mapSiblings(key)).map(plain)).toEqual(mapPathOf(all, key))
        }
      })
    }),
    { numRuns: runs(60) },
  )
}, 60_000)

test("a thousand agents leave exactly the needed branches", async () => {
  await using bench = await newStore()
  const entries: Entry[] = []
  let seed = 1
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed & 0xff
  }
  for (let i = 0; i < 1000; i++) {
    entries.push({ key: Uint8Array.from({ length: 32 }, random), digest: Uint8Array.from({ length: 32 }, random) })
  }
  let root: Uint8Array = EMPTY_MAP
  for (const [logIndex, { key, digest }] of entries.entries()) {
    root = await bench.store.run(() => putMapEntry(root, key, { eventDigest: digest, logIndex }))
  }
  expect(plain(root)).toEqual(mapHash(entries))
  expect(await bench.count("log_map_entry")).toBe(1000)
  expect(await bench.count("log_map_branch")).toBe(branches(entries))
  expect(await bench.store.read(() => mapEntry(new Uint8Array(32)))).toBeNull()
}, 60_000)

function branches(entries: readonly Entry[], depth = 0): number {
  if (entries.length < 2) return 0
  const right = (key: Uint8Array) => (key[depth >> 3]! & (0x80 >> (depth & 7))) !== 0
  return (
    1 +
    branches(
      entries.filter(({ key }) => right(key)),
      depth + 1,
    ) +
    branches(
      entries.filter(({ key }) => !right(key)),
      depth + 1,
    )
  )
}

const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)
