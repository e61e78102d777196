/** Which texts count as bank data, in whatever spelling (rulings 57). */
import { describe, expect } from "bun:test"
import { randomBytes, randomUUID } from "node:crypto"
import fc from "fast-check"
import { findRawBankData as findWith } from "../../../src/core/bank-data/raw-bank-data.ts"
import { bankData, cardNumber, iban, PUBLISHED_IBANS } from "../../fixtures/bank-data.ts"
import { atLength, howMany, runs } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** As in prose, where a card number counts in any grouping. */
const findRawBankData = (text: string) => findWith(text, true)

/** Random values of each kind. */
const RANDOM = atLength(5_000, 50_000)

/** Surrounding text: it must not touch the bank data with a letter or a digit. */
const around = fc
  .tuple(fc.string({ maxLength: 12 }), fc.constantFrom("", ".", ":", "(", ", ", "_", "/", "é(", "№ "))
  .map(([text, end]) => ({ before: /[A-Za-z0-9\s-]$/.test(text + end) ? `${text}(` : text + end }))

test("bank data is found in any text, whatever surrounds it", () => {
  fc.assert(
    fc.property(around, bankData, around, ({ before }, { text }, { before: after }) => {
      const behind = [...after].toReversed().join("")
      expect(findRawBankData(before + text + behind)).not.toBeNull()
    }),
    { numRuns: runs(2_000) },
  )
})

test("bank data is reported by its kind; of two kinds, IBAN goes before card and card before account", () => {
  const order = ["IBAN", "CARD_NUMBER", "UK_ACCOUNT"]
  fc.assert(
    fc.property(bankData, ({ kind, text }) => {
      expect(order.indexOf(findRawBankData(text) ?? "")).toBeLessThanOrEqual(order.indexOf(kind))
    }),
    { numRuns: runs(1_000) },
  )
  for (const example of PUBLISHED_IBANS) expect(findRawBankData(example)).toBe("IBAN")
  expect(findRawBankData("4111 1111 1111 1111")).toBe("CARD_NUMBER")
  expect(findRawBankData("20-00-00 55779911")).toBe("UK_ACCOUNT")
})

test("a number with a wrong check digit is not bank data", () => {
  const otherDigit = (digit: string | undefined) => String((Number(digit) + 1) % 10)
  fc.assert(
    fc.property(iban, cardNumber, (account, card) => {
      expect(findRawBankData(account.slice(0, 3) + otherDigit(account[3]) + account.slice(4))).not.toBe("IBAN")
      expect(findRawBankData(card.slice(0, -1) + otherDigit(card.at(-1)))).toBeNull()
    }),
  )
})

test("a number inside a longer word is not bank data: an adjacent letter or digit belongs to it", () => {
  fc.assert(
    fc.property(iban, cardNumber, fc.constantFrom("a", "Z"), (account, card, letter) => {
      for (const text of [card + letter, letter + card]) expect(findRawBankData(text)).not.toBe("CARD_NUMBER")
      expect(findRawBankData(`${account}Q`)).not.toBe("IBAN")
      expect(findRawBankData(`0x${card}`)).toBeNull()
    }),
  )
})

describe("a text that only looks like bank data is not bank data", () => {
  test.each([
    "INV-2026-0042",
    "5493001KJTIIGC8Y1R12",
    "SC200000",
    "Invoice 10002345 of 2026-11-20",
    "12-3456789",
    "1732104000000",
    "services 2026-11-01 2026-11-30 20:15:00",
    "run-20261120-10-30-45",
    "20261120103045123",
    "PO 104233, 10002345, 10002346",
    "123456-20261120",
    "48213-12-1795326567",
    "41111-11-1111-11111",
    "11111111-1111-4111-8111-111111111116",
    "16 digits that fail: 4111 1111 1111 1112",
    "20-00-00 and, a good deal further on in the text, 55779911",
    "11-22-33 1234567",
    "GB00 is not the code of a bank",
    "urn:svc:evidence:call-back:2026-11",
    "+44 20 7946 0958",
    "4111 1111 1111",
    "",
    "2",
  ])("%s", (text) => expect(findRawBankData(text)).toBeNull())
})

test("the letters of `sort` inside a longer word name no sort code; a word that begins so does, and sort code in one word", () => {
  expect(findRawBankData("svc:agent:r0q6BRZrhL099SoRTH8T, 37283226-678870")).toBeNull()
  for (const name of ["sort", "Sort code", "sort_no", "SORTCODE", "bankSortCode", "bank-sort_code"]) {
    expect([name, findRawBankData(`${name}: 37283226-678870`)]).toEqual([name, "UK_ACCOUNT"])
  }
})

test("the end of a longer word names no sort code, however far before it the word is", () => {
  for (let gap = 0; gap < 30; gap++) {
    const numbers = `${":".repeat(gap)} 85262729-824310`
    expect([gap, findRawBankData(`age1ystaeuwc5jss8fsc${numbers}`)]).toEqual([gap, null])
    expect([gap, findRawBankData(`age1 sc${numbers}`)]).toEqual([gap, gap <= 8 ? "UK_ACCOUNT" : null])
  }
})

/** How many of `count` texts are read as bank data. */
function taken(count: number, make: () => string): number {
  let found = 0
  for (let i = 0; i < count; i++) if (findRawBankData(make()) !== null) found++
  return found
}

const base64url = (length: number) => randomBytes(length).toString("base64url").slice(0, length)
const digits = (length: number) => Array.from(randomBytes(length), (byte) => String(byte % 10)).join("")

test.each([
  ["digests", () => `sha256:${randomBytes(32).toString("hex")}`],
  ["digests without their prefix", () => randomBytes(32).toString("hex")],
  ["UUIDs", () => randomUUID()],
  ["UUIDs without hyphens", () => randomUUID().replaceAll("-", "")],
  ["addresses", () => `0x${randomBytes(20).toString("hex")}`],
  ["agent ids", () => `svc:agent:${base64url(32)}`],
  ["key ids", () => `ed25519-${base64url(43)}`],
  ["company numbers", () => `SC${digits(6)}`],
  ["invoice numbers of up to twelve digits", () => digits(12)],
  ["times in milliseconds", () => `17${digits(11)}`],
])(`none of ${howMany(50_000, RANDOM)} random %s is recognized as bank data`, (_, make) =>
  expect(taken(RANDOM, make)).toBe(0),
)

test("of random 16-digit numbers one in twenty is read as a card number, as the check digit implies", () => {
  const share = taken(50_000, () => digits(16)) / 50_000
  expect(share).toBeGreaterThan(0.04)
  expect(share).toBeLessThan(0.06)
})

test("the search of 64 KiB takes time linear in the text, for any hostile text", () => {
  const hostile = [
    "2",
    "2 ",
    "9 ",
    "22-22-22 ",
    "123456 sort ",
    "12345678 ",
    "AT20 ",
    "at12 1 ",
    "GB82-",
    "12345678-1234-4123-8123-123456789012 ",
    "12345678-",
    "2026-11-20 ",
    "\ufdfa",
    "4\u200b",
    "4\u0301",
    "\u0664 ",
    " ",
    "-",
  ]
  // Processor time, because other processes may have the processor in between.
  const milliseconds = (text: string) => {
    const start = process.cpuUsage()
    findRawBankData(text)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / 1_000
  }
  const fastest = (text: string) => Math.min(...Array.from({ length: 3 }, () => milliseconds(text)))
  for (const unit of hostile) {
    const whole = unit.repeat(65_536 / unit.length)
    // Eight times the text may take eight times as long. Quadratic time would be 64 times as long.
    const [small, large] = [fastest(whole.slice(0, 8_192)), fastest(whole)]
    expect([unit, large < Math.max(32 * small, 20)]).toEqual([unit, true])
  }
})
