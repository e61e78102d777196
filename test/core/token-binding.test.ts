import { expect, test } from "bun:test"
import { bindingDifferences } from "../../src/core/token-binding.ts"

const PAYMENT = {
  company_number: "01234567",
  payee_fingerprint: "a",
  amount: "10.50",
  currency: "GBP",
  wallet: "0xabc",
}
const CHANGE = {
  supplier_key: "lei:X",
  current_payee_fingerprint: null,
  proposed_payee_fingerprint: "b",
  wallet: "0x1",
}

test("equal values match the binding, even in another spelling", () => {
  expect(bindingDifferences(PAYMENT, PAYMENT)).toEqual([])
  expect(bindingDifferences(PAYMENT, { ...PAYMENT, amount: "10.500000", wallet: "0xABC" })).toEqual([])
  expect(bindingDifferences(CHANGE, { ...CHANGE })).toEqual([])
})

test.each([
  ["amount", { ...PAYMENT, amount: "10.500001" }],
  ["company_number", { ...PAYMENT, company_number: "01234568" }],
  ["currency", { ...PAYMENT, currency: "gbp" }],
  ["payee_fingerprint", { ...PAYMENT, payee_fingerprint: "A" }],
  ["wallet", { ...PAYMENT, wallet: "0xabd" }],
])("a different %s is named", (name, repeated) => {
  expect(bindingDifferences(PAYMENT, repeated)).toEqual([name])
})

test("missing and additional members are differences, listed in alphabetical order", () => {
  const { amount: _, ...short } = PAYMENT
  expect(bindingDifferences(PAYMENT, { ...short, extra: "x", company_number: "" })).toEqual([
    "amount",
    "company_number",
    "extra",
  ])
  expect(bindingDifferences(PAYMENT, {})).toEqual(Object.keys(PAYMENT).sort())
})

test("a null destination matches neither a given destination nor a missing member", () => {
  const { current_payee_fingerprint: _, ...untold } = CHANGE
  for (const repeated of [untold, { ...CHANGE, current_payee_fingerprint: "a" }]) {
    expect(bindingDifferences(CHANGE, repeated)).toEqual(["current_payee_fingerprint"])
    expect(bindingDifferences(repeated, CHANGE)).toEqual(["current_payee_fingerprint"])
  }
})
