import { expect, test } from "bun:test"
import fc from "fast-check"
import { ibanLength, ibanRemainder } from "../../src/core/iban.ts"
import { iban, PUBLISHED_IBANS } from "../fixtures/bank-data.ts"

const ALPHABET = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

test("the published example of every registered country has its length and leaves 1, and no other country is known", () => {
  for (const example of PUBLISHED_IBANS) {
    expect([example, ibanLength(example.slice(0, 2)), ibanRemainder(example)]).toEqual([example, example.length, 1])
  }
  const known = ALPHABET.flatMap((a) => ALPHABET.map((b) => a + b)).filter((country) => ibanLength(country))
  expect(known).toEqual(PUBLISHED_IBANS.map((example) => example.slice(0, 2)).toSorted())
})

test("the remainder is that of the whole number, whichever its case", () => {
  fc.assert(
    fc.property(iban, (number) => {
      expect([ibanRemainder(number), ibanRemainder(number.toLowerCase())]).toEqual([1, 1])
    }),
  )
})

test("one character changed or two neighbours exchanged never leave 1 again", () => {
  fc.assert(
    fc.property(iban, fc.nat(), fc.constantFrom(..."0123456789"), (number, place, digit) => {
      const i = 2 + (place % (number.length - 3))
      const [a = "", b = ""] = number.slice(i, i + 2)
      const changes = [
        number.slice(0, i) + digit + number.slice(i + 1),
        number.slice(0, i) + b + a + number.slice(i + 2),
      ]
      // Within the account only digits against digits: a letter counts two places and shifts the rest.
      for (const changed of changes.filter((text) => text !== number && /\d/.test(a) && /\d/.test(b))) {
        expect(ibanRemainder(changed)).not.toBe(1)
      }
    }),
  )
})
