import type { SupplierApprovalRequest } from "../../../../schemas/us/supplier-approval.ts"
import { type SupplierApproval, supplierApprovalRules } from "../../../../src/products/us/supplier-approval/rules.ts"
import { usBody } from "../../../fixtures/answers.ts"
import type { ReasonWalk } from "../../../fixtures/reason-walk.ts"
import { US_FAULTS, usFacts } from "../../../fixtures/us-facts.ts"

export function approvalBody(changes: Partial<SupplierApprovalRequest> = {}): SupplierApprovalRequest {
  return { ...usBody(), risk_policy: { policy_id: "buyer-default", tolerance: "MEDIUM" }, ...changes }
}

export const WALK: ReasonWalk<SupplierApproval> = {
  rules: supplierApprovalRules,
  input: (tolerance) => ({
    request: approvalBody({ risk_policy: { policy_id: "buyer-default", tolerance } }),
    facts: usFacts(supplierApprovalRules.id),
  }),
  tolerances: ["LOW", "MEDIUM", "HIGH"],
  faults: [
    US_FAULTS.match,
    US_FAULTS.nameMismatch,
    US_FAULTS.possibleMatch,
    US_FAULTS.insufficient,
    US_FAULTS.notRegistered,
    US_FAULTS.attestedOnly,
    US_FAULTS.programCondition,
    US_FAULTS.aging,
    US_FAULTS.accepted,
  ],
}
