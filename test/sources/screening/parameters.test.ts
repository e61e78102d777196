import { expect, test } from "bun:test"
import { LEGAL_FORM_BITS } from "../../../src/sources/screening/legal-forms.ts"
import { PARAMETER_DIGEST, SCORE, TIERS } from "../../../src/sources/screening/parameters.ts"

test("the digest names the behaviour: it stays what it was until someone changes a parameter or table on purpose", () => {
  expect(PARAMETER_DIGEST).toBe(
    "sha256:d04426b5fd61000f5d3981cc503e756a98fb035e541405bc63e67ac959e352b4" as typeof PARAMETER_DIGEST,
  )
})

test("every factor lowers a score and every tier limit can be reached", () => {
  for (const factor of [SCORE.singleTokenOverlap, SCORE.numberDiffers, SCORE.weakAlias, SCORE.typeDiffers])
    expect(factor).toBeLessThan(1)
  expect(TIERS.nearMissMin).toBeLessThan(TIERS.blockScoreMin)
})

test("a legal form belongs to one class", () => {
  for (const bits of LEGAL_FORM_BITS.values()) expect(Number.isInteger(Math.log2(bits))).toBe(true)
})
