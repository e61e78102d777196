import { expect, test } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { policyChecksum } from "../../src/checks/policy/policy-checksum.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { PUBLISHED_POLICIES } from "../../src/products/published-policies.ts"

test("every paid product has one policy in force, ahead of its older versions, and no two policies share an id and version", () => {
  const products = [PAYMENT_DECISION_PRODUCT, ...ANSWER_RULES.map(({ id }) => id)]
  for (const product of products) {
    const versions = PUBLISHED_POLICIES.filter((one) => one.product === product)
    expect(versions.map(({ isInForce }) => isInForce)).toEqual(versions.map((_, index) => index === 0))
    expect(versions.length).toBeGreaterThan(0)
  }
  expect(new Set(PUBLISHED_POLICIES.map(({ product }) => product))).toEqual(new Set(products))
  const names = PUBLISHED_POLICIES.map(({ document: { id, version } }) => `${id} ${version}`)
  expect(new Set(names).size).toBe(names.length)
})

test("every row of every policy has a meaning and an action; only a row that holds nothing up may need no action", () => {
  for (const { document, uncharged } of PUBLISHED_POLICIES) {
    for (const { code, why, remediation, outcome } of document.reasons) {
      expect([document.id, code, why.length > 10]).toEqual([document.id, code, true])
      expect([document.id, code, remediation === ""]).toEqual([document.id, code, outcome === "PASS"])
    }
    for (const { code, why, remediation } of uncharged) {
      expect([document.id, code, why.length > 10, remediation]).toEqual([
        document.id,
        code,
        true,
        expect.stringMatching(/^[A-Z_]+$/),
      ])
    }
  }
})

/** Delivered answers name these versions for ever. A later version has its own rows, and no row of this one changes. */
const FIRST_VERSIONS: Readonly<Record<string, string>> = {
  US_DECISION_GATE_RELEASE_PAYMENT_TO_SUPPLIER_V1:
    "sha256:edb62b7363f78a4faa3a965c506efc27cb32831bf4a7fa281a7f9d578569bdfc",
  US_COMPANY_CHECK_V1: "sha256:a195f308ab6aa87e2136bb6506cd0197e6a38fefb3e1fb3b61859f2b5650c66e",
  US_SUPPLIER_APPROVE_V1: "sha256:d2e9fcfbe43bb8b81127f7d4187070426a65e1cb23010068cf1321ea12701467",
  US_INVOICE_PAYEE_VERIFY_V1: "sha256:f8e6a400c114463208c7b87c7294bda122c0ac0e6e254ee5b02ba8f187864f72",
  US_PAYMENT_AUTHORIZE_V1: "sha256:801cbecaaaa9e55d01bd480172a3ac8804349af36f133a0c9bbd8472614da7de",
  US_VENDOR_CHANGE_V1: "sha256:b60aa5e9cba91187af457df06ffe9c9487ff2ff2f7299f7dfb42298e928a7a35",
  US_VENDOR_CONTINUATION_V1: "sha256:08dd9f1ff112fed684d744b52b7eb9e4765412eef7f5e3e468c821737a8ed6b5",
  GB_BUSINESS_PAYMENT_V1: "sha256:7b351a96ed2ab92bd8a5d9e690135c69796b84405031374d4ccacb4129ffc982",
  GB_VENDOR_CHANGE_V1: "sha256:2cbfb7bc2ad4caddb7fe56feb03a79cc08af38db26fadc8dc9ffb9dbfa7165b4",
}

test("version 1.0.0 of each policy has not changed, because delivered answers name it by its checksum", () => {
  const first = PUBLISHED_POLICIES.filter(({ document }) => document.version === "1.0.0")
  const checksums = first.map(({ document }) => [document.id, policyChecksum(document)])
  expect<Record<string, string>>(Object.fromEntries(checksums)).toEqual(FIRST_VERSIONS)
})
