/** The US supplier approval: decides whether the buyer may deal with this company for the next thirty days. Pure and total. */
import type { AnswerCore } from "../../../../schemas/business-answer.ts"
import type {
  SupplierApprovalFacts,
  SupplierApprovalRequest,
  SupplierApprovalResult,
} from "../../../../schemas/us/supplier-approval.ts"
import { answerCore, mayContinue } from "../../../checks/policy/answer.ts"
import { companyEvidence, companyGate, screeningGate, usCoverage } from "../../../checks/us/us-company.ts"
import { usRequiredInformation } from "../../../checks/us/us-required-information.ts"
import { DAY, instant } from "../../../core/time.ts"
import type { SupplierApprovalPolicy } from "./policy.ts"

/** The lists go stale long before an approval ends (rulings 41). A payment that relies on the approval screens them again. */
export function decide(
  request: SupplierApprovalRequest,
  facts: SupplierApprovalFacts,
  policy: SupplierApprovalPolicy,
): AnswerCore<SupplierApprovalResult> {
  const { tolerance } = request.risk_policy
  const gates = [companyGate(request.company, facts), screeningGate(facts, policy.thresholds, tolerance)]
  return answerCore(facts, policy, {
    gates,
    tolerance,
    requiredInformation: usRequiredInformation(gates),
    observations: companyEvidence(request.company, facts),
    coverage: usCoverage(request.company),
    ends: [instant(facts.at) + policy.thresholds.approval_days * DAY],
    result: (judged) =>
      mayContinue(judged)
        ? { approval_reference: facts.execution_id, approved_until: judged.validUntil }
        : { approval_reference: null, approved_until: null },
  })
}
