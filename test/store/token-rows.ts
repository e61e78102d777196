/** Tokens in the database in the form that a sold answer leaves them. */
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestBytes } from "../../src/core/digest.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { claimRequest } from "../../src/store/sales/requests.ts"
import { issueToken, type NewToken } from "../../src/store/tokens/authorization-tokens.ts"
import { AT, newRequest } from "./money-rows.ts"

export const WALLET = "0x00000000000000000000000000000000000000aa"
export const PAYMENT_BINDING = {
  company_number: "01234567",
  payee_fingerprint: `sha256:${"a".repeat(64)}`,
  amount: "1250.00",
  currency: "GBP",
  wallet: WALLET,
}
export const CHANGE_BINDING = {
  company_number: "01234567",
  current_payee_fingerprint: `sha256:${"a".repeat(64)}`,
  proposed_payee_fingerprint: `sha256:${"b".repeat(64)}`,
  wallet: WALLET,
}

/** Valid for an hour from {@link AT}. */
export function paymentToken(name: string, changes: Partial<NewToken> = {}): NewToken {
  return {
    tokenHash: digestBytes(`token ${name}`).slice("sha256:".length),
    requestId: `drq_${name}`,
    executionId: `exe_${name}`,
    product: "gb.business.payment.authorize.v1",
    country: "GB",
    kind: "PAYMENT",
    bindingJson: canonicalize(PAYMENT_BINDING),
    wallet: WALLET,
    evidenceReference: digestBytes(`core ${name}`),
    issuedAt: AT,
    expiresAt: "2026-11-21T11:00:00.000Z",
    ...changes,
  }
}

export function changeToken(name: string, changes: Partial<NewToken> = {}): NewToken {
  return paymentToken(name, {
    product: "gb.vendor.payment_detail_change.authorize.v1",
    kind: "VENDOR_CHANGE",
    bindingJson: canonicalize(CHANGE_BINDING),
    ...changes,
  })
}

/** A token together with the stored request that it was sold for. */
export function* issued(token: NewToken): Unit<NewToken> {
  yield* claimRequest(newRequest(token.requestId, { product: token.product }))
  yield* issueToken(token)
  return token
}
