import { expect, test } from "bun:test"
import fc from "fast-check"
import { Amount } from "../../schemas/common.ts"
import { amountMillionths, ceilDivide, parseAmount, ratioDecimal } from "../../src/core/money.ts"

test.each([
  ["0", 0n],
  ["0.000001", 1n],
  ["1", 1_000_000n],
  ["1.0", 1_000_000n],
  ["1.000000", 1_000_000n],
  ["12500.5", 12_500_500_000n],
  ["999999999999999999.999999", 999_999_999_999_999_999_999_999n],
])("%s is parsed into millionths", (text, millionths) => {
  expect(parseAmount(text)).toBe(millionths)
})

test.each([
  "",
  "-1",
  "+1",
  "01",
  "1.",
  ".5",
  "1.0000001",
  "1e3",
  "1,000",
  " 1",
  "1\n",
  "1000000000000000000",
  "NaN",
  "１",
])("%p is not an amount", (text) => {
  expect(parseAmount(text)).toBeNull()
  expect(() => amountMillionths(text)).toThrow(TypeError)
})

test("the parser accepts exactly the texts that the published pattern accepts", () => {
  const pattern = new RegExp(Amount.pattern ?? "none")
  const text = fc.array(fc.constantFrom(..."0123456789.-"), { maxLength: 10 }).map((characters) => characters.join(""))
  fc.assert(
    fc.property(text, (candidate) => {
      expect(parseAmount(candidate) !== null).toBe(pattern.test(candidate))
    }),
    { numRuns: 2_000 },
  )
})

test("amounts compare and add without rounding", () => {
  const [tenth, fifth] = [amountMillionths("0.1"), amountMillionths("0.2")]
  expect(tenth + fifth).toBe(amountMillionths("0.3"))
})

test.each([
  [790_000n, 12_500_000_000n, 12, "0.000063200000"],
  [2n, 3n, 4, "0.6666"],
  [10n, 3n, 2, "3.33"],
  [0n, 7n, 3, "0.000"],
  [7n, 2n, 0, "3"],
])("%p / %p with %p places is truncated to %s", (numerator, denominator, places, text) => {
  expect(ratioDecimal(numerator, denominator, places)).toBe(text)
})

test("a ratio with a zero denominator throws", () => {
  expect(() => ratioDecimal(1n, 0n, 2)).toThrow(RangeError)
})

test("division rounded up never gives too little", () => {
  expect([ceilDivide(0n, 3n), ceilDivide(1n, 3n), ceilDivide(3n, 3n), ceilDivide(4n, 3n)]).toEqual([0n, 1n, 1n, 2n])
})
