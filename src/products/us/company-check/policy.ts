import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import { COMPANY_ROWS, STATED_ONLY, US_THRESHOLDS, type UsThresholds } from "../../../checks/us/us-company.ts"

/** INVARIANT: a published version never changes; delivered answers name it and must replay. */
const V1_0_0: AnswerPolicyDocument<UsThresholds & { readonly passport_days_max: number }> = {
  id: "US_COMPANY_CHECK_V1",
  version: "1.0.0",
  thresholds: { ...US_THRESHOLDS, passport_days_max: 30 },
  reasons: [
    COMPANY_ROWS.match,
    COMPANY_ROWS.nameMismatch,
    COMPANY_ROWS.possibleMatch,
    COMPANY_ROWS.insufficient,
    COMPANY_ROWS.notRegistered,
    COMPANY_ROWS.programCondition,
    ...STATED_ONLY,
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

export type CompanyCheckPolicy = typeof V1_0_0

const V1_1_0: CompanyCheckPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  reasons: beforeClosing(V1_0_0.reasons, acceptedRow("RESTRICTED_PARTY")),
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: CompanyCheckPolicy = {
  ...V1_1_0,
  version: "1.2.0",
}

/** Every published version. The version in force is last. */
export const COMPANY_CHECK_POLICIES: readonly CompanyCheckPolicy[] = [V1_0_0, V1_1_0, V1_2_0]
