/** How the paid path finds out what a decision needs: one function for each question of the database, a node, the limits or the checks. */
import { getAddress } from "viem"
import { ServiceError } from "../base/errors.ts"
import { SECOND } from "../core/time.ts"
import type { Call } from "../http/call.ts"
import { type Authorization, authorizationOf, checkAuthorization, isWindowReason } from "../payments/authorization.ts"
import { FAILURE_CAUSES, isSeenUsed, observePayment, usedBlockAfter } from "../payments/observe.ts"
import type { PresentedPayment } from "../payments/payment-header.ts"
import { watchedPayment } from "../payments/pursue.ts"
import { checkQuote } from "../payments/quote.ts"
import { RpcUnavailable, readAsset } from "../payments/rpc.ts"
import { isSignedByPayer, verifyPayment } from "../payments/verify-payment.ts"
import { isDatabaseAway, StoreClosed } from "../store/engine/store-error.ts"
import type { Unit } from "../store/engine/unit.ts"
import { noteUsed } from "../store/payments/attempt-watch.ts"
import { type Attempt, findAttempt, findAttemptByNonce, findAttemptByPayload } from "../store/payments/attempts.ts"
import { findDelivery } from "../store/sales/deliveries.ts"
import { findRequestRecord, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import { attemptIdentity, type PayingDeps } from "./deps.ts"
import { judgeReadiness } from "./judge-sale.ts"
import { offerOf } from "./offer.ts"
import type { Sale, SaleStep } from "./sale.ts"
import type {
  Checked,
  Examined,
  FoundAnswer,
  KeyUse,
  Offered,
  Presented,
  Taking,
  Verification,
  Verified,
} from "./state.ts"

export type PaidCall = Pick<Call<unknown>, "headers" | "client" | "at">

/** One call with payments on. */
export interface Run {
  readonly deps: PayingDeps
  readonly sale: Sale
  readonly call: PaidCall
}

const PAID_GROUP = "paid"
const PAID_PER_MINUTE = 30
/** Repeats of one accepted payment per minute: twice the rate that `Retry-After` asks for. */
const REPEATS_GROUP = "paid repeats"
const REPEATS_PER_MINUTE = 60

/** What the record under the key means for this body. */
export function keyUse(record: RequestRecord | null, sale: Sale): KeyUse {
  if (record === null) return { kind: "FREE" }
  return { kind: isSameBody(record, sale) ? "SAME_BODY" : "OTHER_BODY", record }
}

/** `at` in milliseconds. */
export async function runChecks({ deps, sale }: Run, step: SaleStep, at: number): Promise<Checked> {
  try {
    await sale.requireChecksPass(step, at)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { refusal: error, notReady: null }
  }
  return { refusal: null, notReady: judgeReadiness(deps, sale.product) }
}

/** Throws RATE_LIMITED. Counts by payment, not by address: then no other client can use up the buyer's limit. */
export async function findPayload(
  { deps, call }: Run,
  requestId: string | null,
  { sha256 }: PresentedPayment,
): Promise<Attempt | null> {
  const found = requestId === null ? null : await deps.store.read(() => findAttemptByPayload(requestId, sha256))
  if (found) deps.limiter.take(REPEATS_GROUP, sha256, REPEATS_PER_MINUTE)
  else deps.limiter.take(PAID_GROUP, call.client, PAID_PER_MINUTE)
  return found
}

/** Checks that need no node: quote, terms and payer. Throws RATE_LIMITED for a client whose payments failed too often. */
export async function examine(run: Run, { payment, key }: Pick<Taking, "payment" | "key">): Promise<Examined> {
  await run.deps.failures.requireFew(run.call.client)
  const { bodyDigest } = run.sale
  const ofThis = examineFor(run, bodyDigest, payment)
  if (!("reason" in ofThis)) return { fits: "THIS_BODY", offered: ofThis }
  const { reason } = ofThis
  if (key.kind !== "OTHER_BODY" || key.record.bodyDigest === bodyDigest) return { fits: "NONE", reason }
  const ofHeld = examineFor(run, key.record.bodyDigest, payment)
  return "reason" in ofHeld ? { fits: "NONE", reason } : { fits: "HELD_BODY", offered: ofHeld, reason }
}

function examineFor(
  { deps, sale, call }: Run,
  bodyDigest: string,
  { payload }: PresentedPayment,
): Offered | { readonly reason: string } {
  const nowSeconds = Math.floor(call.at / SECOND)
  const quote = checkQuote(
    deps.quoteKey,
    offerOf(deps, sale.product),
    { bodyDigest, accepted: payload.accepted },
    nowSeconds,
  )
  if (!quote.ok) return { reason: quote.reason }
  const { terms, quoteId } = quote
  const checked = checkAuthorization(payload, terms, sale.expectedPayer)
  return checked.ok ? { authorization: checked.authorization, terms, quoteId } : { reason: checked.reason }
}

/**
 * Reads the attempt of this authorization and the idempotency record of the key in one view. An equal call in another process may have
 * reserved since the sale was read; its attempt must not count as one of another request.
 */
export function findPresented(run: Run, { authorization }: Offered): Promise<Presented> {
  return run.deps.store.read(() => readPresented(run, authorization))
}

function* readPresented({ deps, sale }: Run, authorization: Authorization): Unit<Presented> {
  const known = yield* findAttemptByNonce(attemptIdentity(deps, authorization))
  return { known, current: yield* readSameBody(sale) }
}

export async function verify({ deps: { payments } }: Run, { authorization, terms }: Offered): Promise<Verification> {
  const sender = payments.settler.kind === "self" ? payments.settler.relayer.address : payments.payTo
  const verification = await verifyPayment(payments.chain, authorization, terms, sender)
  if ("unavailable" in verification) return { kind: "UNAVAILABLE" }
  if (verification.isValid) {
    return { kind: "VERIFIED", verified: { ...verification, alreadyUsed: false, usedBlock: null } }
  }
  const { reason, payerCodeHash, headSeconds, usedBlock } = verification
  if (usedBlock !== undefined) return asUsed({ payerHasCode: payerCodeHash !== null, payerCodeHash }, usedBlock)
  return { kind: "REJECTED", reason, isOutsideWindow: isWindowReason(reason), headSeconds }
}

/** The payment is verified, and the chain shows its authorization as used at the block `usedAt`. */
export function asUsed(
  { payerHasCode, payerCodeHash }: Pick<Verified, "payerHasCode" | "payerCodeHash">,
  usedAt: bigint,
): Verification {
  const usedBlock = Number(usedAt)
  return { kind: "VERIFIED", verified: { payerHasCode, payerCodeHash, alreadyUsed: true, usedBlock, balance: null } }
}

/**
 * Whether an attempt that ended unpaid may have moved money. This service released it before sending, but its payer or a third party may
 * have submitted the authorization. Until that is known, its header gets 202 and not 402. No node query is needed when `reason` is a
 * failure that the chain has proved.
 */
export async function mayHavePaid({ deps }: Run, attempt: Attempt, reason: string): Promise<boolean> {
  if (FAILURE_CAUSES.some((cause) => cause === reason)) return false
  const seen = await observePayment(deps.payments.chain, watchedPayment(attempt))
  if (seen.kind === "unavailable") return true
  if (isSeenUsed(seen)) await claimUsed(deps, attempt.id, Number(seen.head))
  return usedBlockAfter(attempt.usedBlock, seen) !== null
}

/** The caller hears not to sign another payment, so none is taken from now on. */
async function claimUsed({ store }: PayingDeps, attemptId: string, block: number): Promise<void> {
  try {
    await store.run(() => noteUsed(attemptId, block))
  } catch (error) {
    // The money may have moved, whether or not this is stored. The watch stores it later.
    if (!isDatabaseAway(error) && !(error instanceof StoreClosed)) throw error
  }
}

export async function readAttempt({ deps }: Run, id: string): Promise<Attempt> {
  const attempt = await deps.store.read(() => findAttempt(id))
  if (!attempt) throw new Error("an attempt vanished")
  return attempt
}

/** The attempt of this same payment and body, made by any call or process. */
export function findEqual({ deps, sale }: Run, { sha256 }: PresentedPayment): Promise<Attempt | null> {
  return deps.store.read(() => readEqual(sale, sha256))
}

function* readEqual(sale: Sale, sha256: string): Unit<Attempt | null> {
  const current = yield* readSameBody(sale)
  return current ? yield* findAttemptByPayload(current.id, sha256) : null
}

function* readSameBody(sale: Sale): Unit<RequestRecord | null> {
  const record = yield* findRequestRecord(sale.product.id, sale.scope, sale.key)
  return record && isSameBody(record, sale) ? record : null
}

/**
 * The authorization of a rejected payment, if its payer signed it and it pays this service. An authorization to somebody else says nothing
 * about who calls here. Reads nothing about the key: a caller who cannot sign for the payer must not learn from the time whether it exists.
 *
 * CHOICE: a wallet with code is not proved here, because a node would have to verify every rejected payment. Its next paid call gets the
 * answer.
 */
export async function provePayer({ deps, call }: Run, { payload }: PresentedPayment): Promise<Authorization | null> {
  await deps.failures.count(call.client)
  const { chain, payTo } = deps.payments
  const authorization = authorizationOf(payload.payload)
  const isProved = authorization.to === getAddress(payTo) && (await isSignedByPayer(chain.asset, authorization))
  return isProved ? authorization : null
}

/** `FREE` for an authorization that was presented before: others may have seen it. */
export async function findUsedKey(run: Run, authorization: Authorization): Promise<KeyUse> {
  return keyUse(await run.deps.store.read(() => readUsedKey(run, authorization)), run.sale)
}

function* readUsedKey({ deps, sale }: Run, authorization: Authorization): Unit<RequestRecord | null> {
  if (yield* findAttemptByNonce(attemptIdentity(deps, authorization))) return null
  return yield* findRequestRecord(sale.product.id, sale.scope, sale.key)
}

/** What the key is used for now. */
export async function findCurrent({ deps, sale }: Run): Promise<KeyUse> {
  const { product, scope, key } = sale
  return keyUse(await deps.store.read(() => findRequestRecord(product.id, scope, key)), sale)
}

/** Whether the chain shows the authorization as used or cancelled. */
export async function findOnChain(
  { deps: { payments } }: Run,
  { from, nonce }: Authorization,
): Promise<boolean | "UNAVAILABLE"> {
  const { primary, asset } = payments.chain
  try {
    return await readAsset(primary, asset, "authorizationState", [from, nonce])
  } catch (error) {
    if (error instanceof RpcUnavailable) return "UNAVAILABLE"
    throw error
  }
}

/** The delivered answer; null before delivery. `withPayer`: also reads who paid for it. */
export function findAnswer({ deps }: Run, requestId: string, withPayer: boolean): Promise<FoundAnswer | null> {
  return deps.store.read(() => readAnswer(requestId, withPayer))
}

function* readAnswer(requestId: string, withPayer: boolean): Unit<FoundAnswer | null> {
  const delivery = yield* findDelivery(requestId)
  if (!delivery?.body) return null
  const { body, capsuleJson, paymentResponse, purchaseId } = delivery
  const settled = withPayer ? yield* findAttempt(purchaseId) : null
  return { body, capsuleJson, paymentResponse, payer: settled?.payer ?? null }
}

/** Execution id of the answer delivered under the key. */
export async function findExecution({ deps }: Run, requestId: string): Promise<string | null> {
  return (await deps.store.read(() => findDelivery(requestId)))?.answerId ?? null
}
