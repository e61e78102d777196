import { expect, test } from "bun:test"
import { EligibilityCheckId } from "../../../schemas/us/eligibility.ts"
import { eligibilityChecks } from "../../../src/products/common/eligibility.ts"
import { quoteChecks } from "../../../src/products/common/quote-checks.ts"
import { decisionRow } from "../../../src/products/us/payment-decision/row.ts"
import { NO_REGISTERS, ORIGIN, staticBoard } from "../../fixtures/test-server.ts"

test("the published names of the checks are in the order in which a request is refused", () => {
  const row = decisionRow({ sources: staticBoard(), registers: NO_REGISTERS, baseUrl: () => ORIGIN })
  const checks = eligibilityChecks(
    row,
    quoteChecks(row, () => false),
  )
  const published = EligibilityCheckId.anyOf.map((literal) => literal.const)
  expect<string[]>(published).toEqual(["REQUEST_COMPLETE", ...checks.map(({ id }) => id)])
})
