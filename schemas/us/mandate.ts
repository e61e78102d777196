import { type Static, Type } from "@sinclair/typebox"
import { Amount, Currency, closed, DateTime, Digest, Identifier, SignatureObject } from "../common.ts"

export const PAYMENT_INTENT = "RELEASE_PAYMENT_TO_SUPPLIER"

/** Interface, "Buyer payment mandate": all members required, none besides. */
export const MandatePayload = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    mandate_id: Identifier,
    mandate_version: Type.String({ pattern: "^\\d+\\.\\d+\\.\\d+$", maxLength: 64 }),
    issuer: Identifier,
    subject_agent_id: Identifier,
    buyer_organization: Identifier,
    buyer_organization_digest: Digest,
    supplier_entity_id: Identifier,
    key_id: Identifier,
    request_digest: Digest,
    payee_fingerprint: Digest,
    permitted_intent: Type.Literal(PAYMENT_INTENT),
    max_payment_amount: Amount,
    currency: Currency,
    max_decision_fee_atomic: Type.String({ pattern: "^\\d+$", maxLength: 78 }),
    valid_from: DateTime,
    valid_until: DateTime,
    nonce: Type.String({ minLength: 16, maxLength: 96, pattern: "^[A-Za-z0-9_-]+$" }),
    revocation_reference: Type.String({ minLength: 1, maxLength: 512 }),
  },
  { $id: "MandatePayload" },
)
export type MandatePayload = Static<typeof MandatePayload>

export const BuyerMandate = closed({
  payload: MandatePayload,
  mandate_digest: Digest,
  signature: SignatureObject,
})
export type BuyerMandate = Static<typeof BuyerMandate>
