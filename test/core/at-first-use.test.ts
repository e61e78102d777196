import { expect, test } from "bun:test"
import { atFirstUse, loadedAtFirstUse } from "../../src/core/at-first-use.ts"

test("a value is made once, at its first use", () => {
  let made = 0
  const value = atFirstUse(() => {
    made++
    return undefined
  })
  expect(made).toBe(0)
  expect([value(), value()]).toEqual([undefined, undefined])
  expect(made).toBe(1)
})

test("methods are loaded once for all calls, and called directly afterwards", async () => {
  let loads = 0
  const methods = loadedAtFirstUse(async () => {
    loads++
    return { add: (a: number, b: number) => a + b, later: async (text: string) => `${text}!` }
  })
  const [add, later] = [methods("add"), methods("later")]
  expect(loads).toBe(0)
  expect(await Promise.all([add(1, 2), later("a"), add(3, 4)])).toEqual([3, "a!", 7])
  expect(add(5, 6)).toBe(11)
  expect(await later("b")).toBe("b!")
  expect(loads).toBe(1)
})

test("the error of a method reaches its caller, the first time and later", async () => {
  const fail = loadedAtFirstUse(async () => ({
    fail: (text: string): string => {
      throw new RangeError(text)
    },
  }))("fail")
  await expect(async () => await fail("one")).toThrow(new RangeError("one"))
  expect(() => fail("two")).toThrow(new RangeError("two"))
})

test("every call learns that nothing was loaded", async () => {
  const missing = loadedAtFirstUse(async (): Promise<{ reply: () => string }> => {
    throw new TypeError("no module")
  })("reply")
  for (const _ of [1, 2]) await expect(async () => await missing()).toThrow(new TypeError("no module"))
})
