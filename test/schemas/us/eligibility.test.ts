import { expect, test } from "bun:test"
import { EligibilityCheckId } from "../../../schemas/us/eligibility.ts"
import {
  AUTHORITY_CHECKS,
  type DecisionCheck,
  ENTRY_CHECKS,
  EVALUATION_TIME,
} from "../../../src/products/us/payment-decision/pre-quote-checks.ts"

test("the published names of the checks are in the order in which a request is refused", () => {
  const published = EligibilityCheckId.anyOf.map((literal) => literal.const)
  const idsOf = (checks: readonly DecisionCheck[]) => checks.map(({ id }) => id)
  const later = idsOf([EVALUATION_TIME, ...AUTHORITY_CHECKS])
  expect<string[]>(published).toEqual(["REQUEST_COMPLETE", ...idsOf(ENTRY_CHECKS), "IDEMPOTENCY_KEY", ...later])
})
