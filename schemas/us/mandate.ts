import { type Static, Type } from "@sinclair/typebox"
import {
  Amount,
  BuyerDigest,
  Currency,
  closed,
  DateTime,
  DestinationFingerprint,
  Identifier,
  MandateDigest,
  RequestDigest,
  SignatureObject,
} from "../common.ts"
import { text } from "../text.ts"
import { Intent } from "./covered.ts"

/** Interface, "Buyer payment mandate": all members are required, and no others are allowed. */
export const MandatePayload = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    mandate_id: Identifier,
    mandate_version: text(5, 64, { pattern: "^\\d+\\.\\d+\\.\\d+$" }),
    issuer: Identifier,
    subject_agent_id: Identifier,
    buyer_organization: Identifier,
    buyer_organization_digest: BuyerDigest,
    supplier_entity_id: Identifier,
    key_id: Identifier,
    request_digest: RequestDigest,
    payee_fingerprint: DestinationFingerprint,
    permitted_intent: Intent,
    max_payment_amount: Amount,
    currency: Currency,
    max_decision_fee_atomic: text(1, 78, { pattern: "^\\d+$" }),
    valid_from: DateTime,
    valid_until: DateTime,
    nonce: text(16, 96, { pattern: "^[A-Za-z0-9_-]+$" }),
    revocation_reference: text(1, 512),
  },
  { $id: "MandatePayload" },
)
export type MandatePayload = Static<typeof MandatePayload>

export const BuyerMandate = closed({
  payload: MandatePayload,
  mandate_digest: MandateDigest,
  signature: SignatureObject,
})
export type BuyerMandate = Static<typeof BuyerMandate>
