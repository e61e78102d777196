/**
 * A rejected payment gets a new quote, and in the UK a person reviews it. A payer whose key is used gets the answer of the paid call instead,
 * so that nobody reviews a quote that cannot be bought.
 */
import { getAddress } from "viem"
import { ServiceError } from "../base/errors.ts"
import type { Reply } from "../http/call.ts"
import { type Authorization, authorizationOf } from "../payments/authorization.ts"
import type { PresentedPayment } from "../payments/payment-header.ts"
import { RpcUnavailable, readAsset } from "../payments/rpc.ts"
import { isSignedByPayer } from "../payments/verify-payment.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findAttemptByNonce } from "../store/payments/attempts.ts"
import { findRequestRecord, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import { attemptIdentity, type PayingDeps } from "./deps.ts"
import { deliveredExecution, keyReused } from "./known-sale.ts"
import { otherAuthorization } from "./reveal.ts"
import type { Sale } from "./sale.ts"

/**
 * Returns what the paid call of this payer would answer because of an earlier sale under the key; null if a new quote may be given. Throws
 * IDEMPOTENCY_KEY_REUSED, and CHAIN_UNAVAILABLE when the node does not say whether the authorization is unused.
 *
 * CHOICE: a wallet with code is not proved here, because a node would have to verify every rejected payment. Its next paid call gets the answer.
 */
export async function replyForUsedKey(
  deps: PayingDeps,
  sale: Sale,
  { payload }: PresentedPayment,
): Promise<Reply | null> {
  const { asset } = deps.payments.chain
  const authorization = authorizationOf(payload.payload)
  // An authorization to somebody else says nothing about who calls here.
  if (authorization.to !== getAddress(deps.payments.payTo)) return null
  // Before the database is read: a caller who cannot sign for the payer must not learn from the time whether the key exists.
  if (!(await isSignedByPayer(asset, authorization))) return null
  const used = await deps.store.read(() => usedKey(deps, sale, authorization))
  if (used === null || (await isOnChain(deps, authorization))) return null
  if (isSameBody(used, sale)) return otherAuthorization(deps, sale, used, authorization, false)
  throw keyReused(await deps.store.read(() => deliveredExecution(used)))
}

/** The sale under the key. Null without one, and for an authorization that was presented before: others may have seen it. */
function* usedKey(deps: PayingDeps, sale: Sale, authorization: Authorization): Unit<RequestRecord | null> {
  if (yield* findAttemptByNonce(attemptIdentity(deps, authorization))) return null
  const record = yield* findRequestRecord(sale.product.id, sale.scope, sale.key)
  if (!record || !isSameBody(record, sale)) return record
  return record.state === "DELIVERED" || record.purchase ? record : null
}

/** Whether the chain shows the authorization as used or cancelled: then anyone can copy it. */
async function isOnChain({ payments }: PayingDeps, { from, nonce }: Authorization): Promise<boolean> {
  const { primary, asset } = payments.chain
  try {
    return await readAsset(primary, asset, "authorizationState", [from, nonce])
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    throw new ServiceError(
      "CHAIN_UNAVAILABLE",
      "The payment was rejected, and whether its key was used before could not be checked. Present the same payment again later.",
    )
  }
}
