import { type Static, Type } from "@sinclair/typebox"
import {
  Amount,
  AssessmentDigest,
  BuyerDigest,
  closed,
  DateTime,
  DestinationFingerprint,
  digestOver,
  EvidenceDigest,
  enumeration,
  FactsDigest,
  InstructionDigest,
  InvoiceDigest,
  MandateDigest,
  PayloadDigest,
  RequestDigest,
  SignatureObject,
} from "../common.ts"
import { StatedEnvironment } from "../environment.ts"
import { PAYMENT_DECISION_PRODUCT } from "./payment-decision.ts"

export const Decision = enumeration("ALLOW", "ALLOW_WITH_CONDITIONS", "HOLD", "BLOCK", "UNDETERMINED")
export type Decision = Static<typeof Decision>

export const MachineAction = enumeration("RELEASE_PAYMENT", "HOLD_PAYMENT", "BLOCK_PAYMENT")
export type MachineAction = Static<typeof MachineAction>

export const PolicyReference = closed({ id: Type.String(), version: Type.String() })
export type PolicyReference = Static<typeof PolicyReference>

export const UsCoverage = closed({
  jurisdiction: Type.Literal("US"),
  scope: Type.Literal("FEDERAL_ONLY"),
  state_coverage: Type.Literal("NONE_PHASE_1"),
  state_good_standing: Type.Literal("NOT_ASSERTED"),
  limitations: Type.Array(Type.String()),
})
export type UsCoverage = Static<typeof UsCoverage>

/**
 * The signed payload about a delivered decision. `core_digest` covers every response member except `billing`, `delivery` and
 * `proof_capsule`. So nothing that a payer acts on can be edited without the key. The named members are repeated for readers that keep only
 * the capsule.
 */
export const CapsulePayload = closed({
  domain: Type.Literal("svc.proof-capsule.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Type.String(),
  environment: StatedEnvironment,
  product: Type.Literal(PAYMENT_DECISION_PRODUCT),
  decision_id: Type.String(),
  request_id: Type.String(),
  request_digest: RequestDigest,
  mandate_digest: MandateDigest,
  core_digest: digestOver("C14N of the response without billing, delivery and proof_capsule"),
  facts_digest: FactsDigest,
  decision: Decision,
  machine_action: MachineAction,
  reason_codes: Type.Array(Type.String()),
  conditions: Type.Array(Type.String()),
  policy: PolicyReference,
  coverage: UsCoverage,
  evidence_bundle_digest: EvidenceDigest,
  assessment_digest: AssessmentDigest,
  buyer_organization_digest: BuyerDigest,
  agent_id: Type.String(),
  key_id: Type.String(),
  supplier_entity_id: Type.String(),
  payee_fingerprint: DestinationFingerprint,
  payment_destination_fingerprint: DestinationFingerprint,
  payment_instruction_digest: InstructionDigest,
  obligation_id: Type.String(),
  document_digest: InvoiceDigest,
  amount: Amount,
  currency: Type.String(),
  screening: closed({
    scorer_version: Type.String(),
    parameter_digest: digestOver("C14N of the parameters of the screening"),
  }),
  valid_as_of: DateTime,
  valid_until: DateTime,
  payment_executed: Type.Literal(false),
  replay_reference_digest: digestOver("C14N of the replay reference"),
  limitations: Type.Array(Type.String()),
  issued_at: DateTime,
})
export type CapsulePayload = Static<typeof CapsulePayload>

/** `capsule_digest` = digest(C14N(payload)); `signature` is Ed25519 over C14N(payload). */
export const ProofCapsule = closed({
  payload: CapsulePayload,
  capsule_digest: PayloadDigest,
  signature: SignatureObject,
})
export type ProofCapsule = Static<typeof ProofCapsule>
