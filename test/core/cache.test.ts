import { describe, expect, test } from "bun:test"
import { Cache } from "../../src/core/cache.ts"

test("above its limit the oldest value is forgotten first, also after many rounds", () => {
  const cache = new Cache<number, string>({ max: 100 })
  for (let n = 0; n < 5_000; n++) {
    cache.set(n, `value ${n}`)
    expect(cache.size).toBe(Math.min(n + 1, 100))
    expect(cache.get(n - 100)).toBeUndefined()
    if (n >= 99) expect(cache.get(n - 99)).toBe(`value ${n - 99}`)
  }
})

test("a replaced value is the newest, and takes no other's place", () => {
  const cache = new Cache<string, number>({ max: 3 })
  for (const [n, key] of ["a", "b", "c", "a"].entries()) cache.set(key, n)
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.size]).toEqual([3, 1, 2, 3])
  cache.set("d", 4)
  expect([cache.get("a"), cache.get("b"), cache.get("c"), cache.get("d")]).toEqual([3, undefined, 2, 4])
})

test("a deleted key leaves its place to others", () => {
  const cache = new Cache<string, number>({ max: 2 })
  cache.set("a", 1)
  cache.set("b", 2)
  cache.delete("a")
  cache.delete("none")
  cache.set("c", 3)
  expect([cache.size, cache.get("b"), cache.get("c")]).toEqual([2, 2, 3])
  cache.delete("b")
  cache.delete("c")
  expect(cache.size).toBe(0)
  cache.set("d", 4)
  cache.set("e", 5)
  cache.set("f", 6)
  expect([cache.get("d"), cache.get("e"), cache.get("f")]).toEqual([undefined, 5, 6])
})

test("a cached null differs from no cached value", () => {
  const cache = new Cache<string, null>({ max: 1 })
  cache.set("a", null)
  expect([cache.get("a"), cache.get("b")]).toEqual([null, undefined])
})

describe("a version", () => {
  test("finds only what was made from it", () => {
    const cache = new Cache<string, string, number>({ max: 10 })
    cache.set("a", "first", 1)
    expect([cache.get("a", 1), cache.get("a", 2)]).toEqual(["first", undefined])
    cache.set("a", "second", 2)
    expect([cache.get("a", 1), cache.get("a", 2), cache.size]).toEqual([undefined, "second", 1])
  })

  test("that is NaN finds nothing", () => {
    const cache = new Cache<string, string, number>({ max: 10 })
    cache.set("a", "value", Number.NaN)
    expect(cache.get("a", Number.NaN)).toBeUndefined()
  })
})

describe("a limit of weight", () => {
  const bytes = () => new Cache<string, Uint8Array>({ max: 100, weigh: (value) => value.length })

  test("makes room for a value, and a replaced one weighs nothing", () => {
    const cache = bytes()
    cache.set("a", new Uint8Array(50))
    cache.set("a", new Uint8Array(40))
    cache.set("b", new Uint8Array(60))
    expect(cache.size).toBe(2)
    cache.set("c", new Uint8Array(1))
    expect([cache.get("a"), cache.get("b")?.length, cache.get("c")?.length]).toEqual([undefined, 60, 1])
  })

  test("keeps no value that is too heavy, nor its predecessor, and forgets no other for it", () => {
    const cache = bytes()
    cache.set("a", new Uint8Array(10))
    cache.set("b", new Uint8Array(10))
    cache.set("a", new Uint8Array(101))
    expect([cache.get("a"), cache.get("b")?.length]).toEqual([undefined, 10])
    cache.set("a", new Uint8Array(100))
    expect([cache.get("a")?.length, cache.get("b")]).toEqual([100, undefined])
  })
})
