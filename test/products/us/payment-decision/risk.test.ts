import { expect, test } from "bun:test"
import fc from "fast-check"
import { digestOf } from "../../../../src/core/digest.ts"
import { without } from "../../../../src/core/without.ts"
import { assessRisk } from "../../../../src/products/us/payment-decision/risk.ts"

const FEE = { amount: "0.79", amount_atomic: "790000", asset: "USDC", network: "eip155:8453" } as const
const base = { low_ppm: 50, high_ppm: 1000 }

function assess(exposureAtomic: string, priors: Parameters<typeof assessRisk>[0]["priors"] = []) {
  return assessRisk({
    decisionFee: FEE,
    exposureAtomic,
    valuationBasis: "at par",
    base,
    priors,
    policyVersion: "1.0.0",
    assessedAt: "2026-11-20T10:00:00.000Z",
  })
}

test.each([
  ["790000", "1.000000000000", 1_000_000],
  ["790000000", "0.001000000000", 1000],
  ["790000001", "0.000999999998", 1000],
  ["3000000", "0.263333333333", 263_334],
  ["1", "790000.000000000000", 790_000_000_000],
  [`1${"0".repeat(77)}`, "0.000000000000", 1],
])("exposure %s breaks even at %s, rounded up to %i ppm", (exposure, rate, ppm) => {
  expect(assess(exposure)).toMatchObject({ break_even_risk_rate: rate, break_even_risk_rate_ppm: ppm })
})

test("verification is justified from the break-even rate upwards", () => {
  expect(assess("790000000").verification_economically_justified).toBe(true)
  expect(assess("789000000").verification_economically_justified).toBe(false)
})

test("the highest prior of the observed signals sets the range", () => {
  const priors = [
    { signal: "A", low_ppm: 10, high_ppm: 5000 },
    { signal: "B", low_ppm: 200, high_ppm: 300 },
  ]
  expect(assess("790000000", priors).observed_risk_range).toEqual({
    low_ppm: 200,
    high_ppm: 5000,
    basis: "POLICY_PRIOR_NOT_MEASURED",
  })
})

test("the assessment digest covers everything except itself and the id derived from it", () => {
  const risk = assess("12500000000")
  const digest = digestOf(without(risk, "assessment_digest", "assessment_id"))
  expect(risk.assessment_digest).toBe(digest)
  expect(risk.assessment_id).toBe(`asm_${digest.slice(7, 39)}`)
})

test("no exposure ever allows a mandatory verification to be skipped", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 77n }), (exposure) => {
      const risk = assess(exposure.toString())
      expect(risk.mandatory_verifications_may_be_skipped).toBe(false)
      expect(risk.mandatory_verifications.length).toBe(6)
      expect(Number.isSafeInteger(risk.break_even_risk_rate_ppm)).toBe(true)
    }),
  )
})
