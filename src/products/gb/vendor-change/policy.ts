/** The policy of the UK vendor change, as data. INVARIANT: a published version never changes; delivered answers name it and must replay. */

import { CHALLENGE_ENDED, type ChallengeThresholds, changeChallengeRows } from "../../../checks/change-challenge.ts"
import { COMPANY_NOT_REGISTERED, monthlyFileRows, SUPPLIER_ROWS } from "../../../checks/gb/rows.ts"
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

interface GbVendorChangeThresholds extends SupplierThresholds, ChallengeThresholds {
  readonly validity_hours_max: number
}

export type GbVendorChangePolicy = AnswerPolicyDocument<GbVendorChangeThresholds>

const V1_0_0: GbVendorChangePolicy = {
  id: "GB_VENDOR_CHANGE_V1",
  version: "1.0.0",
  thresholds: {
    required_sources: ["UK_SANCTIONS_LIST"],
    sanctions_review_score: "0.80",
    recently_incorporated_days: 90,
    challenge_hours_max: 24,
    validity_hours_max: 24,
  },
  reasons: [COMPANY_NOT_REGISTERED, ...SUPPLIER_ROWS, ...changeChallengeRows("VENDOR_CHANGE"), ...CLOSING_ROWS],
  uncharged: SOURCE_REASONS,
}

const V1_1_0: GbVendorChangePolicy = {
  ...V1_0_0,
  version: "1.1.0",
  always: ALWAYS_STATED,
  thresholds: { ...V1_0_0.thresholds, monthly_file_absence: "COMPANY_NOT_IN_MONTHLY_FILE" },
  reasons: beforeClosing(monthlyFileRows(V1_0_0.reasons), acceptedRow("SUPPLIER")),
  uncharged: [...V1_0_0.uncharged, SOURCE_INCOMPLETE],
}

/** Requests whose outcome is already fixed are refused, and ended evidence is not charged (rulings 90). */
const V1_2_0: GbVendorChangePolicy = {
  ...V1_1_0,
  version: "1.2.0",
  limitations: HUMAN_REVIEW,
  uncharged: [...V1_1_0.uncharged, ...CHALLENGE_ENDED],
}

/** Every published version. The version in force is last. */
export const GB_VENDOR_CHANGE_POLICIES: readonly GbVendorChangePolicy[] = [V1_0_0, V1_1_0, V1_2_0]
