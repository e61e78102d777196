/** Checks that a mandate is bound to the request that carries it. Other checks cover its signature, revocation and earlier use. */
import type { MandatePayload } from "../../../schemas/us/mandate.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRICE } from "../../../schemas/us/payment-decision.ts"
import { amountMillionths } from "../../core/money.ts"
import { windowContains } from "./delegation.ts"

/** Price of one Payment Decision in atomic USDC (Interface, "Rules", 3). */
export const DECISION_FEE_ATOMIC = BigInt(PAYMENT_DECISION_PRICE.amount_atomic)

type MandateFault = "MANDATE_NOT_BOUND" | "MANDATE_LIMIT_EXCEEDED" | "MANDATE_NOT_CURRENT"

export interface MandateContext {
  /** Recomputed over the request without `buyer_mandate` and `request_signature`. */
  readonly requestDigest: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Owner of the key that verified the signature: the organization's own mandate key, or an agent key delegated with SIGN_MANDATE. */
  readonly signerKind: "ORGANIZATION" | "DELEGATED"
  /** The agent whose delegated key signed, or null for the organization's own key. */
  readonly signerAgentId: string | null
}

/** Checks in this order: bound, within limits, current. Returns null if the mandate covers the request. */
export function mandateFault(
  payload: MandatePayload,
  request: DecisionRequest,
  context: MandateContext,
): MandateFault | null {
  if (!isBound(payload, request, context)) return "MANDATE_NOT_BOUND"
  if (!coversAmounts(payload, request)) return "MANDATE_LIMIT_EXCEEDED"
  return windowContains(payload.valid_from, payload.valid_until, context.at) ? null : "MANDATE_NOT_CURRENT"
}

/** Without each of these bindings, a genuine signature could be reused for another payee or another buyer. */
function isBound(payload: MandatePayload, request: DecisionRequest, context: MandateContext): boolean {
  const { signature } = request.buyer_mandate
  const issuer = context.signerKind === "ORGANIZATION" ? request.buyer.organization_id : context.signerAgentId
  return (
    payload.request_digest === context.requestDigest &&
    payload.permitted_intent === request.intent &&
    payload.buyer_organization === request.buyer.organization_id &&
    payload.buyer_organization_digest === request.buyer.organization_digest &&
    payload.subject_agent_id === request.requesting_agent.agent_id &&
    payload.supplier_entity_id === request.supplier.entity_id &&
    payload.payee_fingerprint === request.payee.fingerprint &&
    payload.currency === request.currency &&
    payload.issuer === issuer &&
    signature.issuer === payload.issuer &&
    signature.key_id === payload.key_id
  )
}

function coversAmounts(payload: MandatePayload, request: DecisionRequest): boolean {
  return (
    amountMillionths(request.amount) <= amountMillionths(payload.max_payment_amount) &&
    BigInt(payload.max_decision_fee_atomic) >= DECISION_FEE_ATOMIC
  )
}
