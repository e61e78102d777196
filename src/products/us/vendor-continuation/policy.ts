import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import { CONTINUATION_ROWS } from "../../../checks/us/continuation.ts"
import { COMPANY_ROWS, STATED_ONLY, US_THRESHOLDS, type UsThresholds } from "../../../checks/us/us-company.ts"

/** INVARIANT: a published version never changes; delivered answers name it and must replay. */
const V1_0_0: AnswerPolicyDocument<UsThresholds & { readonly continuation_days: number }> = {
  id: "US_VENDOR_CONTINUATION_V1",
  version: "1.0.0",
  thresholds: { ...US_THRESHOLDS, continuation_days: 30 },
  reasons: [
    COMPANY_ROWS.match,
    COMPANY_ROWS.possibleMatch,
    ...CONTINUATION_ROWS,
    COMPANY_ROWS.insufficient,
    COMPANY_ROWS.programCondition,
    ...STATED_ONLY.filter(({ gate }) => gate === "RESTRICTED_PARTY"),
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

export type VendorContinuationPolicy = typeof V1_0_0

const V1_1_0: VendorContinuationPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  reasons: beforeClosing(V1_0_0.reasons, acceptedRow("RESTRICTED_PARTY")),
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: VendorContinuationPolicy = {
  ...V1_1_0,
  version: "1.2.0",
}

/** Every published version. The version in force is last. */
export const VENDOR_CONTINUATION_POLICIES: readonly VendorContinuationPolicy[] = [V1_0_0, V1_1_0, V1_2_0]
