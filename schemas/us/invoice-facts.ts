/** What is known of an invoice and of where it is to be paid, beside the company itself. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest } from "../common.ts"
import { ScreeningHit } from "../screening-facts.ts"

/** The listed party that holds the wallet, or null; null too where the value is no wallet. */
export const WalletHits = closed({
  payee: Type.Union([ScreeningHit, Type.Null()]),
  payment_destination: Type.Union([ScreeningHit, Type.Null()]),
})
export type WalletHits = Static<typeof WalletHits>

/** An earlier answer to the same payer, on which it may have gone on, that shares the obligation or the document. Keys are normalised. */
export const EarlierAnswer = closed({
  execution_id: Type.String(),
  product: Type.String(),
  supplier_key: Type.String(),
  obligation_key: Type.String(),
  document_digest: Digest,
  decided_at: DateTime,
  valid_until: DateTime,
})
export type EarlierAnswer = Static<typeof EarlierAnswer>
