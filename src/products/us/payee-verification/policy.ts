import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import { BINDING_ENDED, type BindingThresholds, payeeBindingRows } from "../../../checks/us/payee-binding.ts"
import { COMPANY_ROWS, STATED_ONLY, US_THRESHOLDS, type UsThresholds } from "../../../checks/us/us-company.ts"
import { INVOICE_ROWS } from "../../../checks/us/us-invoice.ts"

interface Thresholds extends UsThresholds, BindingThresholds {
  /** CHOICE: the same lifetime as a UK payment authorization. A later decision may still use it for ninety days (rulings 47). */
  readonly validity_minutes_max: number
}

const BINDING = payeeBindingRows("PAYEE_BINDING")

/** INVARIANT: a published version never changes; delivered answers name it and must replay. */
const V1_0_0: AnswerPolicyDocument<Thresholds> = {
  id: "US_INVOICE_PAYEE_VERIFY_V1",
  version: "1.0.0",
  thresholds: { ...US_THRESHOLDS, payee_binding_days_max: 90, validity_minutes_max: 60 },
  reasons: [
    COMPANY_ROWS.match,
    INVOICE_ROWS.walletRestricted,
    INVOICE_ROWS.alreadyAuthorized,
    COMPANY_ROWS.nameMismatch,
    COMPANY_ROWS.possibleMatch,
    INVOICE_ROWS.authorizedBefore,
    INVOICE_ROWS.documentChanged,
    INVOICE_ROWS.documentReused,
    ...BINDING.filter(({ outcome }) => outcome === "HOLD"),
    COMPANY_ROWS.insufficient,
    COMPANY_ROWS.notRegistered,
    COMPANY_ROWS.programCondition,
    ...BINDING.filter(({ outcome }) => outcome === "CONDITION"),
    ...STATED_ONLY,
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

export type PayeeVerificationPolicy = typeof V1_0_0

const V1_1_0: PayeeVerificationPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  reasons: beforeClosing(V1_0_0.reasons, acceptedRow("RESTRICTED_PARTY")),
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: PayeeVerificationPolicy = {
  ...V1_1_0,
  version: "1.2.0",
  uncharged: [...V1_1_0.uncharged, ...BINDING_ENDED],
}

/** Every published version. The version in force is last. */
export const PAYEE_VERIFICATION_POLICIES: readonly PayeeVerificationPolicy[] = [V1_0_0, V1_1_0, V1_2_0]
