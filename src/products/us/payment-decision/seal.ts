import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore, DecisionResponse } from "../../../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { ProofCapsule } from "../../../../schemas/us/proof-capsule.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import { capsulePayload, responseDigest } from "../../../core/capsule/capsule.ts"
import { sealCapsule } from "../../../core/capsule/seal-capsule.ts"
import type { Digest } from "../../../core/digest.ts"
import type { Signer } from "../../../core/signer.ts"
import type { PresentedReply } from "../../../delivery/sale.ts"
import type { CapsuleForm } from "../../common/product-row.ts"
import type { PaymentDecision } from "./rules.ts"

/** Runs before settlement: the decision is signed but not yet delivered. */
export function sealDecision(
  core: DecisionCore,
  request: DecisionRequest,
  facts: DecisionFacts,
  signer: Signer,
): ProofCapsule {
  return sealCapsule(capsulePayload(core, request, facts), signer)
}

interface Settlement {
  /** `eip155:8453/tx/0x…`. */
  readonly settlementReference: string
  /** `delivery_reference` of the facts. */
  readonly deliveryReference: string
}

interface FinishedDelivery {
  readonly response: DecisionResponse
  /** C14N of the response. These bytes are stored and sent unchanged, now and on every recovery. */
  readonly bytes: Uint8Array
  readonly responseDigest: Digest
}

/** Runs after settlement: builds the whole response once. */
export function finishDelivery(core: DecisionCore, capsule: ProofCapsule, settlement: Settlement): FinishedDelivery {
  const open = {
    ...core,
    proof_capsule: capsule,
    billing: {
      model: "PER_DELIVERED_DECISION" as const,
      charged: true as const,
      settlement_state: "SETTLED" as const,
      settlement_reference: settlement.settlementReference,
      charges_for_decision: 1 as const,
      maximum_charges: 1 as const,
    },
    delivery: { state: "DELIVERED" as const, delivery_reference: settlement.deliveryReference },
  }
  const digest = responseDigest(open)
  const response: DecisionResponse = { ...open, delivery: { ...open.delivery, response_digest: digest } }
  return { response, bytes: canonicalBytes(response), responseDigest: digest }
}

/** The capsule of a decision is inside it. */
export const embeddedCapsule: CapsuleForm<PaymentDecision> = {
  seal: ({ core, request, facts }, signer) => sealDecision(core, request, facts, signer),
  idsOf: (facts) => ({ answerId: facts.decision_id, deliveryReference: facts.delivery_reference }),
  finish: (computed, settlement) => {
    const core = JSON.parse(computed.coreJson) as DecisionCore
    const { response, bytes, responseDigest } = finishDelivery(core, JSON.parse(computed.capsuleJson) as ProofCapsule, {
      settlementReference: settlement.reference,
      deliveryReference: computed.deliveryReference,
    })
    return { body: new TextDecoder().decode(bytes), responseDigest, decision: response.decision, tokenHash: null }
  },
  present: ({ body }) => asStored(body),
}

/** A decision always has the same bytes, however often it is returned. It contains its own capsule. */
export function asStored(body: string): PresentedReply {
  return { body, headers: {} }
}
