/** The US vendor change: decides whether this vendor may be paid at another payee from now on. Pure and total. */
import type { AnswerCore, AnswerDecision } from "../../../../schemas/business-answer.ts"
import type { Observation } from "../../../../schemas/observation.ts"
import type {
  VendorChangeFacts,
  VendorChangeRequest,
  VendorChangeResult,
} from "../../../../schemas/us/vendor-change.ts"
import { callerStatement, ownRecords } from "../../../checks/attested-evidence.ts"
import {
  CHANGE_POINTERS,
  challengeEvidence,
  changeChallengeGate,
  changeStateOf,
  proposedChange,
} from "../../../checks/change-challenge.ts"
import { answerCore } from "../../../checks/policy/answer.ts"
import { found } from "../../../checks/policy/gate.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { companyEvidence, screeningGate, statedEnds, usCoverage } from "../../../checks/us/us-company.ts"
import { HOUR, instant } from "../../../core/time.ts"
import type { VendorChangePolicy } from "./policy.ts"

export function decide(
  request: VendorChangeRequest,
  facts: VendorChangeFacts,
  policy: VendorChangePolicy,
): AnswerCore<VendorChangeResult> {
  const { company, challenge } = request
  const { thresholds } = policy
  const at = instant(facts.at)
  const proposed = proposedChange(supplierKeyOf(request), request)
  const changed = changeChallengeGate(proposed, facts.change, thresholds, at)
  return answerCore(facts, policy, {
    gates: [
      screeningGate(facts, thresholds),
      // The registers are evidence here. The company check judges what they say about the company.
      { gate: "VENDOR_CHANGE", ...found(changed.codes, ["COMPANY_IDENTITY_NOT_JUDGED"]) },
    ],
    observations: [
      ...companyEvidence(company, facts),
      challengeEvidence(challenge, thresholds, at),
      ...changeEvidence(request, facts),
    ],
    coverage: usCoverage(request.company),
    ends: statedEnds(facts, at + thresholds.validity_hours_max * HOUR, [challenge.valid_until]),
    requiredInformation: [...new Set(changed.codes.flatMap((code) => CHANGE_POINTERS[code] ?? []))],
    result: ({ decision }) => changeResult(request, decision),
  })
}

export function changeResult(request: VendorChangeRequest, decision: AnswerDecision): VendorChangeResult {
  return {
    supplier_key: supplierKeyOf(request),
    change_state: changeStateOf(decision),
    proposed_payee_fingerprint: request.proposed_payee_fingerprint,
    authorization_token: "",
    single_use: true,
    revocable: true,
  }
}

/** A request without a usable identifier was rejected before the quote. */
export function supplierKeyOf({ company }: Pick<VendorChangeRequest, "company">): string {
  return checkSupplierIdentifiers(company.identifiers).supplierKey ?? ""
}

/** Observations of the requested change, as a signed statement of the caller, and of the service's records about it. */
function changeEvidence(request: VendorChangeRequest, { at, change, delegation }: VendorChangeFacts): Observation[] {
  const { buyer, requesting_agent, current_payee_fingerprint, proposed_payee_fingerprint } = request
  const claims = [
    `PRIOR_AUTHORIZATION:${change.prior_authorization ? "FOUND" : "NOT_FOUND"}`,
    `CHALLENGE_USED_BEFORE:${change.challenge_reused ? "YES" : "NO"}`,
  ]
  return [
    callerStatement(
      { sourceId: "BUYER_CHANGE_REQUEST", kind: "change-request", at },
      { buyer, requesting_agent, current_payee_fingerprint, proposed_payee_fingerprint },
    ),
    ownRecords(at, claims, { change, delegation }),
  ]
}
