/** The continuation of a vendor's authorization: decides whether it is still supported by today's lists and registers. Pure and total. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type { Observation } from "../../../../schemas/observation.ts"
import type {
  VendorContinuationFacts,
  VendorContinuationRequest,
  VendorContinuationResult,
} from "../../../../schemas/us/vendor-continuation.ts"
import { ownRecords } from "../../../checks/attested-evidence.ts"
import { answerCore, mayContinue } from "../../../checks/policy/answer.ts"
import { namedAuthorizationGate } from "../../../checks/us/continuation.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { companyEvidence, screeningGate, usCoverage } from "../../../checks/us/us-company.ts"
import { legalNameKey } from "../../../core/legal-name-key.ts"
import { DAY, instant } from "../../../core/time.ts"
import { changedSince } from "./changed-since.ts"
import type { VendorContinuationPolicy } from "./policy.ts"

export function decide(
  request: VendorContinuationRequest,
  facts: VendorContinuationFacts,
  policy: VendorContinuationPolicy,
): AnswerCore<VendorContinuationResult> {
  const { company, prior_authorization_reference: reference } = request
  const { prior_authorization: prior } = facts
  const continued = namedAuthorizationGate(
    {
      ...facts,
      subject: checkSupplierIdentifiers(company.identifiers).supplierKey ?? "",
      nameKey: legalNameKey(company.legal_name ?? ""),
    },
    prior,
  )
  // Facts about another company's authorization do not apply to this company.
  const isAboutThis = prior !== null && !continued.codes.includes("PRIOR_AUTHORIZATION_DIFFERS")
  return answerCore(facts, policy, {
    gates: [screeningGate(facts, policy.thresholds), { gate: "CONTINUATION", ...continued }],
    observations: [...companyEvidence(company, facts), priorEvidence(facts)],
    coverage: usCoverage(request.company),
    ends: [instant(facts.at) + policy.thresholds.continuation_days * DAY],
    requiredInformation: isAboutThis ? [] : ["/prior_authorization_reference"],
    result: (judged) => ({
      prior_authorization_reference: reference,
      continued_until: mayContinue(judged) ? judged.validUntil : null,
      changed_since: isAboutThis ? changedSince(prior, facts) : [],
    }),
  })
}

/** The service's own records as evidence: which earlier answer was checked, and whether it exists. */
function priorEvidence({ at, prior_authorization: prior }: VendorContinuationFacts): Observation {
  const state = prior === null ? "NOT_FOUND" : prior.withdrawn ? "WITHDRAWN" : "FOUND"
  return ownRecords(at, [`PRIOR_AUTHORIZATION:${state}`], prior)
}
