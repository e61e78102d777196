import { type Static, Type } from "@sinclair/typebox"
import { AssessmentDigest, closed, DateTime, digestOver, enumeration, RequestDigest } from "../common.ts"
import { BASE_NETWORK } from "../network.ts"
import { text } from "../text.ts"
import { PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "./payment-decision.ts"
import { Decision, MachineAction, PolicyReference, ProofCapsule, UsCoverage } from "./proof-capsule.ts"

const Codes = Type.Array(Type.String())

export const GateOutcome = enumeration("PASS", "CONDITION", "HOLD", "BLOCK", "INCONCLUSIVE")
export type GateOutcome = Static<typeof GateOutcome>

export const CheckExecuted = closed({
  check_id: Type.String(),
  product_id: Type.String(),
  outcome: GateOutcome,
  reason_codes: Codes,
  evidence_ids: Type.Array(Type.String()),
  policy: PolicyReference,
})
export type CheckExecuted = Static<typeof CheckExecuted>

export const CheckWaived = closed({ check_id: Type.String(), product_id: Type.String(), reason: Type.String() })
export type CheckWaived = Static<typeof CheckWaived>

export const DecisionCost = closed({
  amount: Type.Literal(PAYMENT_DECISION_PRICE.amount),
  amount_atomic: Type.Literal(PAYMENT_DECISION_PRICE.amount_atomic),
  asset: Type.Literal(PAYMENT_DECISION_PRICE.asset),
  network: Type.Literal(BASE_NETWORK),
})
export type DecisionCost = Static<typeof DecisionCost>

/** The range is a prior that the policy declares per risk signal. `basis` states that it was not measured. */
const ObservedRiskRange = closed({
  low_ppm: Type.Integer({ minimum: 0 }),
  high_ppm: Type.Integer({ minimum: 0 }),
  basis: Type.String(),
})

/** `assessment_digest` = digest(C14N(this object without `assessment_id` and `assessment_digest`)). */
export const EconomicRisk = closed({
  decision_fee: DecisionCost,
  payment_exposure_usdc_equivalent_atomic: Type.String(),
  exposure_valuation_basis: Type.String(),
  break_even_risk_rate: Type.String(),
  break_even_risk_rate_ppm: Type.Integer({ minimum: 0 }),
  observed_risk_range: ObservedRiskRange,
  verification_economically_justified: Type.Boolean(),
  mandatory_verifications_may_be_skipped: Type.Literal(false),
  mandatory_verifications: Codes,
  policy_version: Type.String(),
  mode: Type.Literal("ADVISORY"),
  assumptions: Type.Array(Type.String()),
  assessment_id: Type.String(),
  assessment_digest: AssessmentDigest,
  assessed_at: DateTime,
})
export type EconomicRisk = Static<typeof EconomicRisk>

/** Core members: everything that the capsule's `core_digest` covers (rulings 14). */
const coreMembers = {
  schema_version: Type.Literal("1.0.0"),
  product: Type.Literal(PAYMENT_DECISION_PRODUCT),
  product_version: Type.Literal("1.0.0"),
  request_id: Type.String(),
  decision_request_id: Type.String(),
  decision_id: Type.String(),
  request_digest: RequestDigest,
  policy: closed({
    id: Type.Literal("US_DECISION_GATE_RELEASE_PAYMENT_TO_SUPPLIER_V1"),
    version: Type.Literal("1.0.0"),
  }),
  decision: Decision,
  machine_action: MachineAction,
  reason_codes: Codes,
  conditions: Codes,
  remediation: Codes,
  risk_signals: Codes,
  checks_executed: Type.Array(CheckExecuted),
  checks_waived: Type.Array(CheckWaived),
  economic_risk: EconomicRisk,
  decision_cost: DecisionCost,
  coverage: UsCoverage,
  freshness: closed({ status: enumeration("FRESH", "STALE"), valid_as_of: DateTime, valid_until: DateTime }),
  uncertainty: closed({ present: Type.Boolean(), reason_codes: Codes }),
  evidence_bundle: closed({
    digest: digestOver("C14N of the evidence of the decision"),
    references: Type.Array(Type.String()),
  }),
  replay: closed({
    reference: Type.String(),
    deterministic: Type.Literal(true),
    sources_reexecuted: Type.Literal(false),
    additional_charge: Type.Literal(false),
  }),
  valid_as_of: DateTime,
  valid_until: DateTime,
  payment_executed: Type.Literal(false),
}

export const DecisionCore = closed(coreMembers)
export type DecisionCore = Static<typeof DecisionCore>

/** `SETTLED` means that the caller has acquired the decision. It does not prove that the provider received funds (Interface). */
const Billing = closed({
  model: Type.Literal("PER_DELIVERED_DECISION"),
  charged: Type.Literal(true),
  settlement_state: Type.Literal("SETTLED"),
  settlement_reference: text(1, 256),
  charges_for_decision: Type.Literal(1),
  maximum_charges: Type.Literal(1),
})

const Delivery = closed({
  state: Type.Literal("DELIVERED"),
  delivery_reference: Type.String(),
  response_digest: digestOver("C14N of the whole response without this one member"),
})

/** Interface, "Payment Decision response (delivery)". */
export const DecisionResponse = closed(
  { ...coreMembers, proof_capsule: ProofCapsule, billing: Billing, delivery: Delivery },
  { $id: "DecisionResponse" },
)
export type DecisionResponse = Static<typeof DecisionResponse>
