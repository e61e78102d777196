/** Facts about an invoice and its destination, in addition to those about the company. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest } from "../common.ts"
import { ScreeningHit } from "../screening-facts.ts"

/** The listed party that holds the wallet. Null if there is none or the value is no wallet. */
export const WalletHits = closed({
  payee: Type.Union([ScreeningHit, Type.Null()]),
  payment_destination: Type.Union([ScreeningHit, Type.Null()]),
})
export type WalletHits = Static<typeof WalletHits>

/** An earlier answer that allowed the same payer to continue and that shares the obligation or the document. Keys are normalised. */
export const EarlierAnswer = closed({
  execution_id: Type.String(),
  product: Type.String(),
  supplier_key: Type.String(),
  obligation_key: Type.String(),
  document_digest: Digest,
  decided_at: DateTime,
  valid_until: DateTime,
  /** True if the supplier is the request's own, or linked to it by a name (rulings 89). Absent in facts of v1: the keys decide. */
  same_supplier: Type.Optional(Type.Boolean()),
})
export type EarlierAnswer = Static<typeof EarlierAnswer>
