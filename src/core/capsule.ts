/**
 * The proof capsule: the statement that the service signs about a delivered decision. `core_digest` covers everything except `billing`,
 * `delivery` and the capsule itself. An edit that recomputes every digest still fails without the signing key.
 */
import type { DecisionFacts } from "../../schemas/us/decision-facts.ts"
import type { DecisionCore, DecisionResponse } from "../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { CapsulePayload, ProofCapsule } from "../../schemas/us/proof-capsule.ts"
import { type Digest, digestOf, without } from "./digest.ts"
import { type Signer, signValue } from "./signer.ts"

/** Statements that the capsule does not make. They are listed so that no reader assumes them. */
const LIMITATIONS = [
  "BILLING_AND_DELIVERY_NOT_SIGNED",
  "NOT_PROOF_OF_SUPPLIER_PAYMENT",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

export function capsulePayload(core: DecisionCore, request: DecisionRequest, facts: DecisionFacts): CapsulePayload {
  return {
    domain: "svc.proof-capsule.v1",
    schema_version: "1.0.0",
    issuer: facts.issuer,
    environment: facts.environment,
    ...capsuleViewOfCore(core),
    core_digest: digestOf(core),
    facts_digest: digestOf(facts),
    ...capsuleViewOfRequest(request),
    screening: {
      scorer_version: facts.screening.scorer_version,
      parameter_digest: facts.screening.parameter_digest,
    },
    limitations: [...LIMITATIONS],
    issued_at: facts.at,
  }
}

/** The capsule members that a reader can compare with the response alone. */
export function capsuleViewOfCore(core: DecisionCore) {
  return {
    product: core.product,
    decision_id: core.decision_id,
    request_id: core.request_id,
    request_digest: core.request_digest,
    decision: core.decision,
    machine_action: core.machine_action,
    reason_codes: core.reason_codes,
    conditions: core.conditions,
    policy: core.policy,
    coverage: core.coverage,
    evidence_bundle_digest: core.evidence_bundle.digest,
    assessment_digest: core.economic_risk.assessment_digest,
    valid_as_of: core.valid_as_of,
    valid_until: core.valid_until,
    payment_executed: core.payment_executed,
    replay_reference_digest: digestOf(core.replay.reference),
  }
}

/** The capsule members that a holder of the request can compare. */
export function capsuleViewOfRequest(request: DecisionRequest) {
  return {
    mandate_digest: digestOf(request.buyer_mandate.payload),
    buyer_organization_digest: request.buyer.organization_digest,
    agent_id: request.requesting_agent.agent_id,
    key_id: request.requesting_agent.key_id,
    supplier_entity_id: request.supplier.entity_id,
    payee_fingerprint: request.payee.fingerprint,
    payment_destination_fingerprint: request.payment_destination.fingerprint,
    payment_instruction_digest: request.payment_instruction_digest,
    obligation_id: request.invoice.obligation_id,
    document_digest: request.invoice.document_digest,
    amount: request.amount,
    currency: request.currency,
  }
}

/** Throws a TypeError if `payload.issuer` is not the issuer of the signer. */
export function sealCapsule(payload: CapsulePayload, signer: Signer): ProofCapsule {
  if (payload.issuer !== signer.issuer) throw new TypeError("capsule and signer name different issuers")
  return { payload, capsule_digest: digestOf(payload), signature: signValue(signer, payload) }
}

/** Returns the response without the members that the capsule does not cover (rulings 14). */
export function coreOf(response: DecisionResponse): DecisionCore {
  return without(response, "billing", "delivery", "proof_capsule")
}

/** Returns the digest of the response with `delivery.response_digest` removed. */
export function responseDigest(response: { readonly delivery: object; readonly [member: string]: unknown }): Digest {
  const delivery: { response_digest?: string } = response.delivery
  return digestOf({ ...response, delivery: without(delivery, "response_digest") })
}
