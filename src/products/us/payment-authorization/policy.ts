import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import { SUPPLIER_APPROVAL_ROWS } from "../../../checks/us/supplier-approval.ts"
import { COMPANY_ROWS, STATED_AGING, US_THRESHOLDS, type UsThresholds } from "../../../checks/us/us-company.ts"
import { INVOICE_ROWS } from "../../../checks/us/us-invoice.ts"

/** INVARIANT: a published version never changes; delivered answers name it and must replay. */
const V1_0_0: AnswerPolicyDocument<UsThresholds & { readonly validity_minutes_max: number }> = {
  id: "US_PAYMENT_AUTHORIZE_V1",
  version: "1.0.0",
  thresholds: { ...US_THRESHOLDS, validity_minutes_max: 60 },
  // A fingerprint does not reveal the wallet, so no wallet is screened here.
  reasons: [
    COMPANY_ROWS.match,
    INVOICE_ROWS.alreadyAuthorized,
    COMPANY_ROWS.possibleMatch,
    INVOICE_ROWS.authorizedBefore,
    INVOICE_ROWS.documentChanged,
    INVOICE_ROWS.documentReused,
    ...SUPPLIER_APPROVAL_ROWS,
    COMPANY_ROWS.insufficient,
    COMPANY_ROWS.programCondition,
    STATED_AGING,
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

export type PaymentAuthorizationPolicy = typeof V1_0_0

const V1_1_0: PaymentAuthorizationPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  reasons: beforeClosing(V1_0_0.reasons, acceptedRow("RESTRICTED_PARTY")),
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: PaymentAuthorizationPolicy = {
  ...V1_1_0,
  version: "1.2.0",
}

/** Every published version. The version in force is last. */
export const PAYMENT_AUTHORIZATION_POLICIES: readonly PaymentAuthorizationPolicy[] = [V1_0_0, V1_1_0, V1_2_0]

/** Reason code of a rejected purchase: the obligation was already paid on an authorization whose token was redeemed. */
export const AUTHORIZATION_USED = "AUTHORIZATION_USED"
