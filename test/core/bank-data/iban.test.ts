import { expect, test } from "bun:test"
import fc from "fast-check"
import { ibanLength, ibanRemainder, isIban } from "../../../src/core/bank-data/iban.ts"
import { iban, PUBLISHED_IBANS, withCheck } from "../../fixtures/bank-data.ts"

const ALPHABET = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]

test("every registered country's published example has its length and remainder 1; no other country is known", () => {
  for (const example of PUBLISHED_IBANS) {
    expect([example, ibanLength(example.slice(0, 2)), ibanRemainder(example)]).toEqual([example, example.length, 1])
  }
  const known = ALPHABET.flatMap((a) => ALPHABET.map((b) => a + b)).filter((country) => ibanLength(country))
  expect(known).toEqual(PUBLISHED_IBANS.map((example) => example.slice(0, 2)).toSorted())
})

test("every published example is an IBAN, in either case; with another check digit it is none", () => {
  for (const example of PUBLISHED_IBANS) {
    const digit = (Number(example[3]) + 1) % 10
    const changed = example.slice(0, 3) + digit + example.slice(4)
    expect([example, isIban(example), isIban(example.toLowerCase()), isIban(changed)]).toEqual([
      example,
      true,
      true,
      false,
    ])
  }
})

test("an IBAN has remainder 1 in either case, and the form of its country", () => {
  fc.assert(
    fc.property(iban, (number) => {
      expect([ibanRemainder(number), ibanRemainder(number.toLowerCase()), isIban(number)]).toEqual([1, 1, true])
    }),
  )
})

test.each([
  ["DE", "37040044053201300A"],
  ["NL", "A1NA0417164300"],
  ["GB", "NWBK6016133192681X"],
  ["MT", "MALT0110A12345MTLCAST001S0A"],
  ["BR", "0036030500001000979549371"],
])("right check digits do not make an IBAN of %s with a letter or digit in the wrong place: %s", (country, account) => {
  const number = withCheck(country, account)
  expect([number.length, ibanRemainder(number), isIban(number)]).toEqual([ibanLength(country) ?? 0, 1, false])
})

test("a country without IBANs and a text of another length are none", () => {
  for (const text of ["US12345678901234567890", withCheck("DE", "3704004405320130001"), "DE", ""]) {
    expect([text, isIban(text)]).toEqual([text, false])
  }
})

test("a random text is no IBAN of a country whose account numbers are digits, whatever its check digits", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^(DE|ME|RS|VA|CR)[A-Z0-9]{17}[A-Z]$/), (text) => {
      const checked = withCheck(text.slice(0, 2), text.slice(2))
      expect([ibanRemainder(checked), isIban(checked)]).toEqual([1, false])
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
