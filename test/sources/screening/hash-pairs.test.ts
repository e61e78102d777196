import { expect, test } from "bun:test"
import fc from "fast-check"
import { HashPairs, hash32, PAIR_VALUE_LIMIT, packPair } from "../../../src/sources/screening/hash-pairs.ts"

const hash = fc.integer({ min: 0, max: 0xffff_ffff })
const value = fc.integer({ min: 0, max: PAIR_VALUE_LIMIT - 1 })

test("every stored value is found under its hash and under no other hash", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, value), { maxLength: 40 }), hash, (stored, other) => {
      const pairs = new HashPairs(Float64Array.from(stored, ([key, item]) => packPair(key, item)).sort())
      for (const key of [...stored.map(([key]) => key), other]) {
        const found: number[] = []
        pairs.each(key, (item) => found.push(item))
        expect(found).toEqual(
          stored
            .filter(([k]) => k === key)
            .map(([, item]) => item)
            .sort((a, b) => a - b),
        )
      }
    }),
  )
})

test("a hash is an unsigned 32-bit number and depends on the seed", () => {
  expect(hash32("karvolan", 1)).toBeGreaterThanOrEqual(0)
  expect(hash32("karvolan", 1)).toBeLessThan(2 ** 32)
  expect(hash32("karvolan", 1)).not.toBe(hash32("karvolan", 2))
})
