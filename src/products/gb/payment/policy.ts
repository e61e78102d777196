/** The policy of the UK business payment, as data. INVARIANT: a published version never changes; delivered answers name it and must replay. */

import { CHALLENGE_ENDED, type ChallengeThresholds, changeChallengeRows } from "../../../checks/change-challenge.ts"
import type { InvoiceThresholds } from "../../../checks/gb/invoice.ts"
import {
  COMPANY_NOT_REGISTERED,
  INVOICE_ROWS,
  monthlyFileRows,
  PAYEE_COMPANY_MISMATCH,
  SUPPLIER_COMPANY_MISMATCH,
  SUPPLIER_ROWS,
} from "../../../checks/gb/rows.ts"
import type { SupplierThresholds } from "../../../checks/gb/supplier.ts"
import {
  ALWAYS_STATED,
  type AnswerPolicyDocument,
  beforeClosing,
  CLOSING_ROWS,
  HUMAN_REVIEW,
  SOURCE_INCOMPLETE,
  SOURCE_REASONS,
} from "../../../checks/policy/answer-policy.ts"
import { acceptedRow } from "../../../checks/policy/source-provenance.ts"
import { BINDING_ENDED, type BindingThresholds, payeeBindingRows } from "../../../checks/us/payee-binding.ts"

interface GbPaymentThresholds extends SupplierThresholds, InvoiceThresholds, BindingThresholds, ChallengeThresholds {
  readonly validity_minutes_max: number
}

export type GbPaymentPolicy = AnswerPolicyDocument<GbPaymentThresholds>

const V1_0_0: GbPaymentPolicy = {
  id: "GB_BUSINESS_PAYMENT_V1",
  version: "1.0.0",
  thresholds: {
    required_sources: ["UK_SANCTIONS_LIST"],
    sanctions_review_score: "0.80",
    recently_incorporated_days: 90,
    invoice_name_similar_score: "0.80",
    payee_binding_days_max: 90,
    challenge_hours_max: 24,
    validity_minutes_max: 60,
  },
  // Ordered by gate: faults of the supplier come before faults of its invoice.
  reasons: [
    COMPANY_NOT_REGISTERED,
    SUPPLIER_COMPANY_MISMATCH,
    ...SUPPLIER_ROWS,
    ...INVOICE_ROWS,
    PAYEE_COMPANY_MISMATCH,
    ...payeeBindingRows("PAYEE"),
    ...changeChallengeRows("PAYEE"),
    ...CLOSING_ROWS,
  ],
  uncharged: SOURCE_REASONS,
}

const V1_1_0: GbPaymentPolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  thresholds: { ...V1_0_0.thresholds, monthly_file_absence: "COMPANY_NOT_IN_MONTHLY_FILE" },
  reasons: beforeClosing(monthlyFileRows(V1_0_0.reasons), acceptedRow("SUPPLIER")),
  uncharged: [...V1_0_0.uncharged, SOURCE_INCOMPLETE],
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: GbPaymentPolicy = {
  ...V1_1_0,
  version: "1.2.0",
  limitations: HUMAN_REVIEW,
  uncharged: [...V1_1_0.uncharged, ...BINDING_ENDED, ...CHALLENGE_ENDED],
}

/** Every published version. The version in force is last. */
export const GB_PAYMENT_POLICIES: readonly GbPaymentPolicy[] = [V1_0_0, V1_1_0, V1_2_0]
