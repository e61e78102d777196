/** The parts of a decision response and its request that digests and the proof capsule cover. Hashes are parameters: it runs in a browser. */
import type { DecisionCore, DecisionResponse } from "../../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import { without } from "../without.ts"

/** The capsule members that a reader can compare with the response alone. */
export function capsuleViewOfCore(core: DecisionCore, digestOf: DocumentCrypto["digestOf"]) {
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
export function capsuleViewOfRequest(request: DecisionRequest, digestOf: DocumentCrypto["digestOf"]) {
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

/** Returns the response without the members that the capsule does not cover (rulings 14). */
export function coreOf(response: DecisionResponse): DecisionCore {
  return without(response, "billing", "delivery", "proof_capsule")
}

/** Returns what the response digest covers: the response with `delivery.response_digest` removed. */
export function digestedResponse(response: { readonly delivery: object; readonly [member: string]: unknown }): object {
  const delivery: { response_digest?: string } = response.delivery
  return { ...response, delivery: without(delivery, "response_digest") }
}
