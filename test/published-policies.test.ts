import { expect, test } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../schemas/us/payment-decision.ts"
import { ANSWER_RULES } from "../src/answer-rules.ts"
import { PUBLISHED_POLICIES } from "../src/published-policies.ts"

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

test("every row of every policy says why and what to do; only a row that holds nothing up may say that nothing is to be done", () => {
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
