/** The UK vendor change: decides whether this company may be paid at another payee from now on. Pure and total. */
import type { AnswerCore, AnswerDecision } from "../../../../schemas/business-answer.ts"
import type {
  GbVendorChangeFacts,
  GbVendorChangeRequest,
  GbVendorChangeResult,
} from "../../../../schemas/gb/vendor-change.ts"
import {
  challengeEvidence,
  changeChallengeGate,
  changeStateOf,
  proposedChange,
} from "../../../checks/change-challenge.ts"
import { answerEnds } from "../../../checks/gb/answer-ends.ts"
import { gbCoverage } from "../../../checks/gb/coverage.ts"
import { supplierEvidence } from "../../../checks/gb/evidence.ts"
import { requiredInformation } from "../../../checks/gb/required-information.ts"
import { supplierGate } from "../../../checks/gb/supplier.ts"
import { answerCore } from "../../../checks/policy/answer.ts"
import { HOUR, instant } from "../../../core/time.ts"
import type { GbVendorChangePolicy } from "./policy.ts"

export function decide(
  request: GbVendorChangeRequest,
  facts: GbVendorChangeFacts,
  policy: GbVendorChangePolicy,
): AnswerCore<GbVendorChangeResult> {
  const { company_number: companyNumber, challenge } = request
  const { thresholds } = policy
  const at = instant(facts.at)
  const proposed = proposedChange(companyNumber, request)
  const gates = [
    supplierGate({ companyNumber, supplierNumber: null }, facts, thresholds),
    { gate: "VENDOR_CHANGE", ...changeChallengeGate(proposed, facts.change, thresholds, at) },
  ]
  return answerCore(facts, policy, {
    gates,
    observations: [...supplierEvidence(companyNumber, facts), challengeEvidence(challenge, thresholds, at)],
    coverage: gbCoverage(facts.company),
    ends: answerEnds(facts, at + thresholds.validity_hours_max * HOUR, [challenge.valid_until]),
    requiredInformation: requiredInformation(
      gates.flatMap(({ codes }) => codes),
      "",
    ),
    result: ({ decision }) => changeResult(request, decision),
  })
}

export function changeResult(request: GbVendorChangeRequest, decision: AnswerDecision): GbVendorChangeResult {
  return {
    company_number: request.company_number,
    change_state: changeStateOf(decision),
    proposed_payee_fingerprint: request.proposed_payee_fingerprint,
    authorization_token: "",
    single_use: true,
    revocable: true,
  }
}
