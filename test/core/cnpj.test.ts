import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { checkCnpj } from "../../src/core/cnpj.ts"

/** The rule written a second way: a number is right if both weighted sums, check digits included, leave 0, or 1 where a 10 became 0. */
function obeysTheRule(value: string): boolean {
  const counts = [...value].map((character) => character.charCodeAt(0) - 48)
  return [12, 13].every((length) => {
    let sum = 0
    for (let back = 1; back <= length; back++) sum += (counts[length - back] ?? 0) * (2 + ((back - 1) % 8))
    const rest = sum % 11
    return counts[length] === (rest < 2 ? 0 : 11 - rest)
  })
}

const LETTERS = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"]
/** Appends the digits that the rule asks for, found by trying all hundred. */
function completed(base: string): string {
  for (let pair = 0; pair < 100; pair++) {
    const value = base + String(pair).padStart(2, "0")
    if (obeysTheRule(value)) return value
  }
  throw new Error(`no digits fit ${base}`)
}
const bases = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 12, maxLength: 12 })
  .map((characters) => characters.join(""))
  .filter((base) => new Set(base).size > 1)

describe("numbers that are right", () => {
  test.each([
    ["12ABC34501DE35", "12ABC34501DE35", "ALPHANUMERIC"],
    ["12.ABC.345/01DE-35", "12ABC34501DE35", "ALPHANUMERIC"],
    ["11222333000181", "11222333000181", "NUMERIC"],
    ["11.222.333/0001-81", "11222333000181", "NUMERIC"],
    [completed("Z0Z0Z0Z0Z0Z0"), completed("Z0Z0Z0Z0Z0Z0"), "ALPHANUMERIC"],
    [completed("000000000001"), "00000000000191", "NUMERIC"],
  ] as const)("%s", (text, value, format) => {
    expect(checkCnpj(text)).toEqual({ value, format })
  })

  test.each([
    ["000000000014", 0],
    ["000000000006", 1],
  ])("%s leaves the remainder %d, so its first check digit is 0", (base) => {
    expect(completed(base)[12]).toBe("0")
    expect(checkCnpj(completed(base))).toMatchObject({ value: completed(base) })
  })
})

describe("the shape", () => {
  test.each([
    ["lower case", "12abc34501de35"],
    ["one lower-case letter", "12ABC34501De35"],
    ["twelve equal digits", completed("111111111111")],
    ["twelve equal letters", completed("AAAAAAAAAAAA")],
    ["twelve zeros", "00000000000000"],
    ["thirteen characters", "1122233300018"],
    ["fifteen characters", "112223330001811"],
    ["a letter as check digit", "12ABC34501DE3A"],
    ["punctuation in part", "12.ABC.34501DE35"],
    ["punctuation in other places", "1.2ABC.345/01DE-35"],
    ["another sign", "12-ABC-345/01DE-35"],
    ["a space", " 11222333000181"],
    ["a line end", "11222333000181\n"],
    ["digits of another script", "１１222333000181"],
    ["nothing", ""],
  ])("%s", (_what, text) => {
    expect(checkCnpj(text)).toBe("SHAPE")
  })
})

describe("the check digits", () => {
  test.each(["12ABC34501DE36", "12ABC34501DE25", "12.ABC.345/01DE-53", "11222333000180", "11222333000118"])(
    "%s",
    (text) => {
      expect(checkCnpj(text)).toBe("CHECK_DIGITS")
    },
  )

  test("exactly one pair of digits is right for any twelve characters", () => {
    fc.assert(
      fc.property(bases, (base) => {
        const right = Array.from({ length: 100 }, (_, pair) => base + String(pair).padStart(2, "0")).filter(
          (value) => typeof checkCnpj(value) === "object",
        )
        expect(right).toEqual([completed(base)])
      }),
      { numRuns: 50 },
    )
  })

  test("any one changed character is detected, or the rule gives the other number the same digits", () => {
    let caught = 0
    let other = 0
    fc.assert(
      fc.property(bases, fc.nat(11), fc.constantFrom(...LETTERS), (base, place, letter) => {
        fc.pre(base[place] !== letter)
        const changed = completed(base).slice(0, place) + letter + completed(base).slice(place + 1)
        fc.pre(new Set(changed.slice(0, 12)).size > 1)
        const isOther = obeysTheRule(changed)
        if (isOther) other++
        else caught++
        expect(typeof checkCnpj(changed)).toBe(isOther ? "object" : "string")
      }),
      { numRuns: 800 },
    )
    // Two characters whose values differ by a multiple of 11 have the same remainder.
    expect(caught).toBeGreaterThan(other * 5)
  })
})
