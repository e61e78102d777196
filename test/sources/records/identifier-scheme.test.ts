import { expect, test } from "bun:test"
import { identifierOf, splitLabel } from "../../../src/sources/records/identifier-scheme.ts"

test.each([
  ["Tax ID No.", "7744001497", "RU", "org", { scheme: "tax", value: "7744001497", country: "RU" }],
  ["Identification Number", "123", null, "person", { scheme: "national-id", value: "123" }],
  ["Identification Number", "123", null, "org", { scheme: "registration", value: "123" }],
  ["Legal Entity Number", "253400WSS48YWMBUA688", null, "org", { scheme: "lei", value: "253400WSS48YWMBUA688" }],
  ["Legal Entity Number", "2534", null, "org", { scheme: "registration", value: "2534" }],
  ["Vessel Registration Identification", "IMO 9187629", null, "vessel", { scheme: "imo", value: "9187629" }],
  ["Digital Currency Address - XBT", "12ab", null, "person", { scheme: "wallet", value: "12ab", currency: "XBT" }],
  ["SWIFT/BIC", "CRDURU4C", null, "org", { scheme: "other", value: "CRDURU4C" }],
] as const)("%s %s is an identifier", (label, value, country, type, expected) => {
  expect(identifierOf(label, value, country, type)).toEqual(expected)
})

test.each([
  ["Website", "example.test"],
  ["Passport", "expired"],
  ["Tax ID No.", "-"],
])("%s %s is not an identifier", (label, value) => {
  expect(identifierOf(label, value, null, "org")).toBeNull()
})

test("the longest matching label is used", () => {
  expect(splitLabel("Registration Certificate Number (Dubai) 88")).toEqual({
    label: "Registration Certificate Number (Dubai)",
    rest: "88",
  })
  expect(splitLabel("Linked To: SOMEBODY")).toBeNull()
})
