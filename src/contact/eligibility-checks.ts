/** The free checks that a caller may run before it pays: the real routes with their methods. */
import type { ContactAnswer } from "../../schemas/contact.ts"
import type { Operation } from "../../schemas/operation.ts"
import { checkPaymentDecisionEligibility } from "../../schemas/us/operations.ts"
import { getUsFederalSourceHealth } from "../../schemas/us/source-health.ts"

type Check = ContactAnswer["eligibility_checks"][number]

/** Interface, "US Payment Decision": what the free eligibility route validates, and the known identity collisions that it rejects. */
const DECISION_CHECKS = ["FEDERAL_IDENTIFIER", "LEGAL_NAME", "DECISION_FEE_PAYER", "IDENTITY_COLLISION"] as const

export function decisionChecks(baseUrl: string): Check[] {
  const uri = baseUrl + checkPaymentDecisionEligibility.path
  return [...DECISION_CHECKS.map((name): Check => ({ name, method: "POST", uri, charge: "0" })), sourceHealth(baseUrl)]
}

export function productChecks(baseUrl: string, { path, product }: Operation): Check[] {
  return [
    { name: "CHECKS_BEFORE_QUOTE", method: "POST", uri: `${baseUrl}${path}/eligibility`, charge: "0" },
    ...(product?.jurisdiction === "US" ? [sourceHealth(baseUrl)] : []),
  ]
}

function sourceHealth(baseUrl: string): Check {
  return { name: "SOURCE_HEALTH", method: "GET", uri: baseUrl + getUsFederalSourceHealth.path, charge: "0" }
}
