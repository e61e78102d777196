import { expect, test } from "bun:test"
import fc from "fast-check"
import { ibanLength, ibanRemainder } from "../../../src/core/bank-data/iban.ts"
import { iban, PUBLISHED_IBANS } from "../../fixtures/bank-data.ts"

const ALPHABET = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

test("every registered country's published example has its length and remainder 1; no other country is known", () => {
  for (const example of PUBLISHED_IBANS) {
    expect([example, ibanLength(example.slice(0, 2)), ibanRemainder(example)]).toEqual([example, example.length, 1])
  }
  const known = ALPHABET.flatMap((a) => ALPHABET.map((b) => a + b)).filter((country) => ibanLength(country))
  expect(known).toEqual(PUBLISHED_IBANS.map((example) => example.slice(0, 2)).toSorted())
})

test("a valid IBAN has remainder 1 in either case", () => {
  fc.assert(
    fc.property(iban, (number) => {
      expect([ibanRemainder(number), ibanRemainder(number.toLowerCase())]).toEqual([1, 1])
    }),
  )
})

test("a changed digit or two exchanged digits never leave remainder 1", () => {
  fc.assert(
    fc.property(iban, fc.nat(), fc.constantFrom(..."0123456789"), (number, place, digit) => {
      const i = 2 + (place % (number.length - 3))
      const [a = "", b = ""] = number.slice(i, i + 2)
      const changes = [
        number.slice(0, i) + digit + number.slice(i + 1),
        number.slice(0, i) + b + a + number.slice(i + 2),
      ]
      // Only digits are exchanged for digits: a letter takes two places and shifts the rest.
      for (const changed of changes.filter((text) => text !== number && /\d/.test(a) && /\d/.test(b))) {
        expect(ibanRemainder(changed)).not.toBe(1)
      }
    }),
  )
})
