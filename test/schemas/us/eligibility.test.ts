import { expect, test } from "bun:test"
import { EligibilityCheckId } from "../../../schemas/us/eligibility.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { eligibilityChecks } from "../../../src/products/common/eligibility.ts"
import { quoteChecks } from "../../../src/products/common/quote-checks.ts"
import { paymentDecision } from "../../../src/products/us/payment-decision/product.ts"
import { NO_SUPPRESSIONS } from "../../../src/sources/screening/suppress.ts"
import { NO_REGISTERS, ORIGIN, staticBoard } from "../../fixtures/test-server.ts"

test("the published names of the checks are in the order in which a request is refused", () => {
  const row = paymentDecision({
    machine: realMachine,
    sources: staticBoard(),
    registers: NO_REGISTERS,
    suppressions: () => NO_SUPPRESSIONS,
    environment: "test",
    baseUrl: () => ORIGIN,
  })
  const checks = eligibilityChecks(
    row,
    quoteChecks(row, () => false),
  )
  const published = EligibilityCheckId.anyOf.map((literal) => literal.const)
  expect<string[]>(published).toEqual(["REQUEST_COMPLETE", ...checks.map(({ id }) => id)])
})
