import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import {
  COMPANY_ROWS,
  LOW_TOLERANCE_ROWS,
  STATED_ABOVE_LOW,
  US_THRESHOLDS,
  type UsThresholds,
} from "../../../checks/us/us-company.ts"

/** INVARIANT: a published version never changes; delivered answers name it and must replay. */
const V1_0_0: AnswerPolicyDocument<UsThresholds & { readonly approval_days: number }> = {
  id: "US_SUPPLIER_APPROVE_V1",
  version: "1.0.0",
  thresholds: { ...US_THRESHOLDS, approval_days: 30 },
  reasons: [
    COMPANY_ROWS.match,
    COMPANY_ROWS.nameMismatch,
    COMPANY_ROWS.possibleMatch,
    COMPANY_ROWS.insufficient,
    COMPANY_ROWS.notRegistered,
    LOW_TOLERANCE_ROWS.attestedOnly,
    COMPANY_ROWS.programCondition,
    LOW_TOLERANCE_ROWS.aging,
    ...STATED_ABOVE_LOW,
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

export type SupplierApprovalPolicy = typeof V1_0_0

const V1_1_0: SupplierApprovalPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  reasons: beforeClosing(V1_0_0.reasons, acceptedRow("RESTRICTED_PARTY")),
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: SupplierApprovalPolicy = {
  ...V1_1_0,
  version: "1.2.0",
}

/** Every published version. The version in force is last. */
export const SUPPLIER_APPROVAL_POLICIES: readonly SupplierApprovalPolicy[] = [V1_0_0, V1_1_0, V1_2_0]
