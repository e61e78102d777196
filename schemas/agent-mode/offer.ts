/** CHOICE: the interface names the states of an offer and not its members. The offer of one product to one agent: the list price for a day, signed. It reserves nothing. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, Identifier, signedDocument } from "../common.ts"
import { StatedEnvironment } from "../environment.ts"
import { AtomicUnits, CallerId, contractMembers, endMembers, ProductId, Uri, Word } from "./notation.ts"

export const OfferCapsuleId = Type.String({ pattern: "^ofr_[A-Za-z0-9_-]{22}$" })

const OfferPrice = closed({
  amount: Type.String({ pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,6})?$" }),
  amount_atomic: AtomicUnits,
  asset: Type.Literal("USDC"),
  network: Type.String({ pattern: "^eip155:[0-9]{1,20}$", description: "CAIP-2 id of the chain" }),
  scheme: Type.Literal("exact"),
})

/**
 * `terms_digest` = digest(C14N({product_id, price, coverage, charge_rule, limitations})). A purchase with `purchase_idempotency_key` as its
 * key makes the offer PAID.
 */
export const OfferCapsulePayload = closed({
  domain: Type.Literal("svc.sales.offer.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Identifier,
  environment: StatedEnvironment,
  offer_capsule_id: OfferCapsuleId,
  audience: AgentId,
  product_id: ProductId,
  operation_id: Type.String({ pattern: "^[A-Za-z0-9_]{1,160}$" }),
  method: Type.Literal("POST"),
  uri: Uri,
  price: OfferPrice,
  terms_digest: digestOver("C14N of {product_id, price, coverage, charge_rule, limitations} of the offer"),
  purchase_idempotency_key: OfferCapsuleId,
  status_uri: Uri,
  dialogue_id: CallerId,
  reservation: Type.Literal(false),
  valid_from: DateTime,
  valid_until: DateTime,
  limitations: Type.Array(Word, { maxItems: 32, uniqueItems: true }),
})
export type OfferCapsulePayload = Static<typeof OfferCapsulePayload>

export const OfferCapsule = signedDocument(OfferCapsulePayload, { $id: "OfferCapsule" })
export type OfferCapsule = Static<typeof OfferCapsule>

const OfferState = enumeration("QUEUED", "RETRYING", "DELIVERED", "PAID")

/** `presentations`: how often the offer was given to the agent. */
export const OfferStatus = closed(
  {
    ...contractMembers,
    offer_capsule_id: OfferCapsuleId,
    state: OfferState,
    presentations: Type.Integer({ minimum: 1 }),
    expired: Type.Boolean(),
    valid_until: DateTime,
    as_of: DateTime,
    ...endMembers,
  },
  { $id: "SalesOfferStatus" },
)
export type OfferStatus = Static<typeof OfferStatus>
