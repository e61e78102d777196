import { expect, test } from "bun:test"
import { readRemarks } from "../../../../src/sources/publishers/us-ofac/remarks.ts"

test("reads every kind of item of a person's remarks", () => {
  const text =
    "DOB circa 1971; alt. DOB 02 Jun 1972; POB Reny, Ukraine; nationality Ukraine; alt. citizen Korea, North; Gender Male; " +
    "Passport FL390461 (Ukraine) expires 31 Jan 2028; alt. Passport 17 issued 01 Jan 2000; National ID No. 2610507115 (Ukraine); " +
    "a.k.a. 'O'HARA, The Elder'; f.k.a. 'SEVEN'; Linked To: SOMEBODY ELSE."
  expect(readRemarks(text, "person")).toEqual({
    birthDates: ["circa 1971", "02 Jun 1972"],
    countries: ["UA", "KP"],
    identifiers: [
      { scheme: "passport", value: "FL390461", country: "UA" },
      { scheme: "passport", value: "17" },
      { scheme: "national-id", value: "2610507115", country: "UA" },
    ],
    weakAliases: [
      { text: "O'HARA, The Elder", kind: "weak" },
      { text: "SEVEN", kind: "weak" },
    ],
  })
})

test("reads each wallet with its currency, and the last one without the closing full stop", () => {
  const text = "Digital Currency Address - XBT 1abc; alt. Digital Currency Address - ETH 0xAbC."
  expect(readRemarks(text, "org").identifiers).toEqual([
    { scheme: "wallet", value: "1abc", currency: "XBT" },
    { scheme: "wallet", value: "0xAbC", currency: "ETH" },
  ])
})

test("reads nothing from prose", () => {
  const empty = { birthDates: [], countries: [], identifiers: [], weakAliases: [] }
  expect(readRemarks("", "org")).toEqual(empty)
  expect(readRemarks("all offices worldwide; For more information on directives, see a page.", "org")).toEqual(empty)
})
