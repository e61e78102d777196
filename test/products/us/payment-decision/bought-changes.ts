/** Change authorizations that a Payment Decision names: bought for a supplier, with the state of their tokens. */

import type { DecisionRequest, Destination } from "../../../../schemas/us/payment-decision.ts"
import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { type Bought, buyAnswer } from "../../../fixtures/answers.ts"
import { destination } from "../../../fixtures/decision.ts"
import { type ChangeOptions, VENDOR_CHANGE_PATH, vendorChangeBody } from "../../../fixtures/vendor-change.ts"
import type { Seller } from "./seller.ts"

export interface BoughtChange extends Bought {
  /** The name for it in `evidence_references`. */
  readonly reference: string
}

let destinations = 0

/** A destination that was never paid. */
export function newDestination(): Destination {
  destinations++
  return destination(`0x${destinations.toString(16).padStart(4, "0").repeat(10)}`)
}

/** For the supplier's first destination unless stated otherwise. */
export async function buyChange(
  seller: Seller,
  supplier: DecisionRequest["supplier"],
  to: Destination,
  changes: Partial<VendorChangeRequest> = {},
  options: ChangeOptions = {},
): Promise<BoughtChange> {
  const { legal_name, identifiers } = supplier
  const company = legal_name === undefined ? { identifiers } : { legal_name, identifiers }
  const body = vendorChangeBody({ company, proposed_payee_fingerprint: to.fingerprint, ...changes }, options)
  const bought = await buyAnswer(seller.server, { path: VENDOR_CHANGE_PATH, body })
  if (bought.status !== 200) throw new Error(`not delivered: ${bought.text}`)
  return { ...bought, reference: coreDigestOf(bought.headers) }
}

/** The digest in an answer's capsule, by which a decision names it. */
export function coreDigestOf(headers: Headers): string {
  const capsule = Buffer.from(headers.get("svc-proof-capsule") ?? "", "base64url").toString("utf8")
  return (JSON.parse(capsule) as { payload: { core_digest: string } }).payload.core_digest
}

export interface TokenRow {
  readonly state: string
  readonly spent_by: string | null
}

export async function tokenOf(seller: Seller, { answer }: Bought): Promise<TokenRow> {
  const row = await seller.server.database.row<TokenRow>(
    "SELECT state, spent_by FROM authorization_token WHERE execution_id = ?",
    answer.execution_id,
  )
  if (!row) throw new Error("no token was issued")
  return row
}

/** The members of a decision request that pays a supplier at one destination, with the evidence for it. */
export function payingAt(
  supplier: DecisionRequest["supplier"],
  to: Destination,
  ...references: readonly string[]
): Partial<DecisionRequest> {
  return { supplier, payee: to, payment_destination: to, evidence_references: [...references] }
}
