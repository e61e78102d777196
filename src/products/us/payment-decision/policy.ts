/**
 * The policy of the US Payment Decision as data. The order of the rows is their precedence: an answer lists its reasons in this order.
 * INVARIANT: a published version never changes. A change is a new version, and the old one remains in the list, because delivered decisions
 * name it and must replay.
 */
import type { Tolerance } from "../../../../schemas/us/payment-decision.ts"
import { CLOSING_ROWS } from "../../../checks/policy/answer-policy.ts"
import type { GateId } from "../../../checks/policy/gate.ts"
import { type Policy, type PolicyReason, type RowRest, reasonRow } from "../../../checks/policy/policy.ts"
import type { RiskPrior } from "./risk.ts"

interface PaymentDecisionThresholds {
  readonly decision_fee_atomic: string
  readonly required_sources: readonly string[]
  /** From this screening score on, a listed party is a possible match. */
  readonly restricted_party_review_score: Readonly<Record<Tolerance, string>>
  readonly validity_minutes_max: number
  readonly payee_verification_days_max: number
  readonly exposure_difference_percent_max: number
  readonly risk_base: Omit<RiskPrior, "signal">
  readonly risk_priors: readonly RiskPrior[]
}

export type PaymentDecisionPolicy = Policy<PaymentDecisionThresholds> & {
  readonly id: "US_DECISION_GATE_RELEASE_PAYMENT_TO_SUPPLIER_V1"
  readonly version: "1.0.0"
}

/** Before the closing rows, only the six gates of a decision have rows. */
const row: (code: string, gate: GateId, ...rest: RowRest) => PolicyReason = reasonRow

const REASONS: readonly PolicyReason[] = [
  row(
    "RESTRICTED_PARTY_MATCH",
    "RESTRICTED_PARTY",
    "BLOCK",
    "STOP",
    "The supplier is on a federal list that forbids payment.",
  ),
  row("WALLET_RESTRICTED", "INVOICE_PAYEE", "BLOCK", "STOP", "The payee or destination wallet is a listed address."),
  row(
    "OBLIGATION_ALREADY_AUTHORIZED",
    "INVOICE_PAYEE",
    "BLOCK",
    "USE_EARLIER_DECISION",
    "A current authorization for this obligation exists; a second one would pay it twice.",
  ),

  row(
    "SUPPLIER_NAME_MISMATCH",
    "COMPANY_IDENTITY",
    "HOLD",
    "CORRECT_SUPPLIER_IDENTITY",
    "The registered name of the identifier is another one.",
  ),
  row(
    "RESTRICTED_PARTY_POSSIBLE_MATCH",
    "RESTRICTED_PARTY",
    "HOLD",
    "REVIEW_SCREENING_HITS",
    "The supplier resembles a listed party; a person must tell them apart.",
  ),
  row(
    "OBLIGATION_AUTHORIZED_BEFORE",
    "INVOICE_PAYEE",
    "HOLD",
    "REFERENCE_EARLIER_DECISION_AND_SIGN_NEW_MANDATE",
    "This obligation was authorized before and may have been paid.",
  ),
  row(
    "OBLIGATION_DOCUMENT_CHANGED",
    "INVOICE_PAYEE",
    "HOLD",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The obligation was authorized with another document.",
  ),
  row(
    "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
    "INVOICE_PAYEE",
    "HOLD",
    "CONFIRM_INVOICE_WITH_SUPPLIER",
    "The document was used to authorize another obligation.",
  ),
  row(
    "MANDATE_REVOKED",
    "PAYMENT_AUTHORITY",
    "HOLD",
    "SIGN_NEW_MANDATE",
    "The mandate was revoked before the decision.",
  ),
  row(
    "MANDATE_NOT_CURRENT",
    "PAYMENT_AUTHORITY",
    "HOLD",
    "SIGN_NEW_MANDATE",
    "The mandate's window does not contain the decision time.",
  ),
  row(
    "MANDATE_LIMIT_EXCEEDED",
    "PAYMENT_AUTHORITY",
    "HOLD",
    "SIGN_NEW_MANDATE",
    "The amount or its currency is outside the mandate.",
  ),
  row(
    "DELEGATION_NOT_ACTIVE",
    "PAYMENT_AUTHORITY",
    "HOLD",
    "ENROLL_DELEGATION",
    "The agent key's delegation ended or was revoked before the decision.",
  ),
  row(
    "PAYMENT_INSTRUCTION_REUSED",
    "PAYMENT_AUTHORITY",
    "HOLD",
    "CONFIRM_PAYMENT_INSTRUCTION",
    "The same payment instruction was authorized before.",
  ),
  row(
    "DESTINATION_DIFFERS_FROM_PAYEE",
    "VENDOR_CHANGE",
    "HOLD",
    "CONFIRM_DESTINATION_INDEPENDENTLY",
    "The money would go elsewhere than to the payee named.",
  ),
  row(
    "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
    "VENDOR_CHANGE",
    "HOLD",
    "AUTHORIZE_DESTINATION_CHANGE",
    "The destination is not the last one authorized for this supplier.",
  ),
  row(
    "FIRST_PAYMENT_TO_DESTINATION",
    "VENDOR_CHANGE",
    "HOLD",
    "VERIFY_PAYEE_OR_AUTHORIZE_DESTINATION",
    "Nothing was ever authorized to this destination, and the tolerance is low.",
    ["LOW"],
  ),
  row(
    "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    "CONTINUATION",
    "HOLD",
    "REVIEW_PRIOR_AUTHORIZATION",
    "The supplier's last authorization would not pass today's lists.",
  ),

  row(
    "EVIDENCE_INSUFFICIENT",
    "RESTRICTED_PARTY",
    "INCONCLUSIVE",
    "RETRY_WITH_BETTER_EVIDENCE",
    "The lists or the name did not suffice to say clear.",
  ),

  row(
    "REGISTRATION_NOT_FOUND",
    "COMPANY_IDENTITY",
    "CONDITION",
    "CONFIRM_SUPPLIER_REGISTRATION",
    "The identifier is not in the imported register.",
  ),
  row(
    "IDENTITY_ATTESTED_ONLY",
    "COMPANY_IDENTITY",
    "CONDITION",
    "CONFIRM_SUPPLIER_REGISTRATION",
    "No register was imported, so the identity is the caller's word, and the tolerance is low.",
    ["LOW"],
  ),
  row(
    "RESTRICTED_PARTY_PROGRAM_CONDITION",
    "RESTRICTED_PARTY",
    "CONDITION",
    "CONFIRM_PROGRAM_PERMITS_PAYMENT",
    "The supplier is listed under a program that restricts without forbidding payment.",
  ),
  row(
    "SOURCE_AGING",
    "RESTRICTED_PARTY",
    "CONDITION",
    "CONFIRM_LISTS_ARE_CURRENT",
    "A list is older than its publisher's rhythm, and the tolerance is low.",
    ["LOW"],
  ),
  row(
    "EXPOSURE_DIFFERS_FROM_AMOUNT",
    "PAYMENT_AUTHORITY",
    "CONDITION",
    "CONFIRM_EXPOSURE",
    "The stated exposure and the amount in US dollars differ by over one percent.",
  ),
  row(
    "FIRST_PAYMENT_TO_DESTINATION",
    "VENDOR_CHANGE",
    "CONDITION",
    "VERIFY_PAYEE_OR_AUTHORIZE_DESTINATION",
    "Nothing was ever authorized to this destination.",
    ["MEDIUM"],
  ),

  row("IDENTITY_ATTESTED_ONLY", "COMPANY_IDENTITY", "PASS", "", "Stated as a limitation.", ["MEDIUM", "HIGH"]),
  row("SOURCE_AGING", "RESTRICTED_PARTY", "PASS", "", "Stated as a limitation and as uncertainty.", ["MEDIUM", "HIGH"]),
  row("FIRST_PAYMENT_TO_DESTINATION", "VENDOR_CHANGE", "PASS", "", "Stated as a risk signal.", ["HIGH"]),
  ...CLOSING_ROWS,
]

/** Estimated loss in parts per million of payments, declared by judgement. They only advise; no decision depends on them. */
const RISK_PRIORS: readonly RiskPrior[] = [
  { signal: "RESTRICTED_PARTY_MATCH", low_ppm: 500_000, high_ppm: 1_000_000 },
  { signal: "WALLET_RESTRICTED", low_ppm: 900_000, high_ppm: 1_000_000 },
  { signal: "OBLIGATION_ALREADY_AUTHORIZED", low_ppm: 200_000, high_ppm: 900_000 },
  { signal: "SUPPLIER_NAME_MISMATCH", low_ppm: 10_000, high_ppm: 200_000 },
  { signal: "RESTRICTED_PARTY_POSSIBLE_MATCH", low_ppm: 1_000, high_ppm: 100_000 },
  { signal: "OBLIGATION_AUTHORIZED_BEFORE", low_ppm: 50_000, high_ppm: 500_000 },
  { signal: "OBLIGATION_DOCUMENT_CHANGED", low_ppm: 20_000, high_ppm: 300_000 },
  { signal: "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION", low_ppm: 20_000, high_ppm: 300_000 },
  { signal: "PAYMENT_INSTRUCTION_REUSED", low_ppm: 50_000, high_ppm: 500_000 },
  { signal: "DESTINATION_DIFFERS_FROM_PAYEE", low_ppm: 20_000, high_ppm: 300_000 },
  { signal: "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION", low_ppm: 20_000, high_ppm: 300_000 },
  { signal: "FIRST_PAYMENT_TO_DESTINATION", low_ppm: 2_000, high_ppm: 30_000 },
  { signal: "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED", low_ppm: 5_000, high_ppm: 100_000 },
  { signal: "EXPOSURE_DIFFERS_FROM_AMOUNT", low_ppm: 1_000, high_ppm: 20_000 },
]

const V1_0_0: PaymentDecisionPolicy = {
  id: "US_DECISION_GATE_RELEASE_PAYMENT_TO_SUPPLIER_V1",
  version: "1.0.0",
  thresholds: {
    decision_fee_atomic: "790000",
    required_sources: ["US_OFAC_CONSOLIDATED", "US_OFAC_SDN", "US_SAM_EXCLUSIONS", "US_TRADE_CSL"],
    restricted_party_review_score: { LOW: "0.75", MEDIUM: "0.80", HIGH: "0.85" },
    validity_minutes_max: 60,
    payee_verification_days_max: 90,
    exposure_difference_percent_max: 1,
    risk_base: { low_ppm: 50, high_ppm: 1_000 },
    risk_priors: RISK_PRIORS,
  },
  reasons: REASONS,
}

/** Every published version. */
export const PAYMENT_DECISION_POLICIES: readonly PaymentDecisionPolicy[] = [V1_0_0]

/** The policy that decides new requests. */
export const PAYMENT_DECISION_POLICY = V1_0_0
