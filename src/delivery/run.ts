/**
 * The one path of every paid request: find, quote, claim, decide, seal, settle, reveal. It never charges twice: a request has one live
 * attempt (unique index), an authorization belongs to one request (unique index), the code looks for a stored answer before it looks at a
 * payment, and an unknown outcome is 202, never a new quote.
 */

import { ServiceError } from "../base/errors.ts"
import { requireNoFaults } from "../base/sensitive-refusals.ts"
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { lookAtOpen } from "../core/sensitive/open-value.ts"
import { WHOLE } from "../core/sensitive/place.ts"
import type { Reply } from "../http/call.ts"
import { hasOnlyVersion1Header, type PresentedPayment, readPaymentHeader } from "../payments/payment-header.ts"
import { FOREIGN_QUOTE } from "../payments/quote.ts"
import type { Unit } from "../store/engine/unit.ts"
import { type Attempt, findAttemptByPayload } from "../store/payments/attempts.ts"
import { findRequestRecord, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import { paymentsOff } from "./judge-sale.ts"
import { alreadyAcquired, keyReused, soldElsewhere } from "./known-sale.ts"
import { newQuote, offerQuote, requireReady } from "./offer.ts"
import { NotTaken, type PaidCall, take } from "./questions.ts"
import { redeliver } from "./redeliver.ts"
import { pendingOverJob, pendingReply } from "./replies.ts"
import { awaitOutcome } from "./reveal.ts"
import type { Sale } from "./sale.ts"
import { replyForUsedKey } from "./used-key.ts"

/** Failed verifications per client address and minute. Above this the service returns 429 before it queries a node (rulings 60). */
const FAILED_VERIFICATIONS_PER_MINUTE = 10
const PAID_GROUP = "paid"
const PAID_PER_MINUTE = 30
const FAILED_GROUP = "failed payment verifications"
/** Repeats of one accepted payment per minute: twice the rate that `Retry-After` asks for. */
const REPEATS_GROUP = "paid repeats"
const REPEATS_PER_MINUTE = 60

const VERSION_1_NOT_READ =
  "X-Payment of x402 version 1 is not read; send the payment of version 2 in the header PAYMENT-SIGNATURE"

export async function deliver(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Reply> {
  const payment = requireReadable(call.headers)
  const { soldTo } = sale.records
  const requestRecord = sameBody(sale)
  if (soldTo !== null && soldTo !== requestRecord?.id) {
    throw soldElsewhere()
  }
  const { payments } = deps
  if (!payments) throw paymentsOff()
  const paying: PayingDeps = { ...deps, payments }
  return payment === null ? unpaid(paying, sale, call, requestRecord) : paid(paying, sale, call, requestRecord, payment)
}

/**
 * The idempotency record of the key, if it has the same body. Throws for another body when the signed request proves the owner. A `PAYER`
 * product does not know its owner yet, so it returns null; the check runs after the payment is verified.
 */
function sameBody(sale: Sale): RequestRecord | null {
  const { requestRecord } = sale.records
  if (!requestRecord || isSameBody(requestRecord, sale)) return requestRecord
  if (sale.product.owner === "PAYER") return null
  throw keyReused()
}

function requireReadable(headers: Headers): PresentedPayment | null {
  const payment = readPaymentHeader(headers)
  if (payment === null) return null
  if (typeof payment !== "string") {
    requireNoSecret(payment)
    return payment
  }
  throw new ServiceError("PAYMENT_HEADER_MALFORMED", "Send one Payment-Signature header of x402 version 2.", {
    reasonCodes: [payment],
  })
}

/** An attempt keeps the whole payment, and clients and extensions choose what its open members hold. */
function requireNoSecret({ payload }: PresentedPayment): void {
  const faults: SensitiveFault[] = []
  lookAtOpen(payload, faults, { ...WHOLE, pointer: "header:Payment-Signature" })
  requireNoFaults(faults, 400)
}

async function unpaid(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  requestRecord: RequestRecord | null,
): Promise<Reply> {
  const known = requestRecord && replyForKnown(deps, sale, requestRecord)
  if (known) return known
  await sale.requireChecksPass("QUOTE", call.at)
  const replacement = await redeliver(deps, sale)
  if (replacement) return replacement
  requireReady(deps, sale.product)
  return newQuote(deps, sale, call.at, hasOnlyVersion1Header(call.headers) ? VERSION_1_NOT_READ : undefined)
}

/** The answer to a call without a payment about a request that is bought or being bought; null for any other. Throws ALREADY_ACQUIRED. */
function replyForKnown({ payments }: PayingDeps, { product }: Sale, { state, purchase }: RequestRecord): Reply | null {
  if (state === "DELIVERED") throw alreadyAcquired(product)
  if (purchase?.rail === "acp") return pendingOverJob(product)
  return purchase ? pendingReply(product, payments.chain.asset.network, "") : null
}

async function paid(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  requestRecord: RequestRecord | null,
  payment: PresentedPayment,
): Promise<Reply> {
  const { requestRecord: held } = sale.records
  if (held && requestRecord === null) await requireNotPresentedForOther(deps, held, payment)
  // Only the exact payload that was verified gets its outcome without a new verification. Any other header is verified below.
  const repeated = requestRecord
    ? await deps.store.read(() => findAttemptByPayload(requestRecord.id, payment.sha256))
    : null
  // Count by payment, not by address: then no other client can use up the buyer's limit.
  if (repeated) deps.limiter.take(REPEATS_GROUP, payment.sha256, REPEATS_PER_MINUTE)
  else deps.limiter.take(PAID_GROUP, call.client, PAID_PER_MINUTE)
  if (repeated && repeated.state !== "RELEASED") return awaitOutcome(deps, sale, repeated.id, call.at)
  // Before the payment is verified: a rejected payment would get a quote.
  if (requestRecord?.purchase?.rail === "acp" && requestRecord.state !== "DELIVERED")
    return pendingOverJob(sale.product)
  deps.limiter.requireAtMost(FAILED_GROUP, call.client, FAILED_VERIFICATIONS_PER_MINUTE)
  try {
    return await take(deps, sale, call, payment, repeated)
  } catch (error) {
    if (!(error instanceof NotTaken) && !(error instanceof ServiceError)) throw error
    // While this call queried the node, an equal call may have reserved and sent the payment. Then its outcome is the response.
    const equal = await deps.store.read(() => attemptOfEqualCall(sale, payment))
    if (equal && equal.state !== "RELEASED") return awaitOutcome(deps, sale, equal.id, call.at)
    if (error instanceof NotTaken) return failedVerification(deps, sale, call, payment, error.reason)
    throw error
  }
}

/** INVARIANT: an attempt is stored only after its payer's signature verified. So this payload proves who owns the key. */
async function requireNotPresentedForOther(
  deps: PayingDeps,
  held: RequestRecord,
  { sha256 }: PresentedPayment,
): Promise<void> {
  if ((await deps.store.read(() => findAttemptByPayload(held.id, sha256))) === null) return
  deps.limiter.take(REPEATS_GROUP, sha256, REPEATS_PER_MINUTE)
  throw keyReused()
}

/** The attempt of this same payment and body, made by any call or process. */
function* attemptOfEqualCall(sale: Sale, { sha256 }: PresentedPayment): Unit<Attempt | null> {
  const current = yield* findRequestRecord(sale.product.id, sale.scope, sale.key)
  return current && isSameBody(current, sale) ? yield* findAttemptByPayload(current.id, sha256) : null
}

/** Counts the rejected payment against its client. Returns a quote only if an unpaid call of its payer or signer would get one. */
async function failedVerification(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
  error: string,
): Promise<Reply> {
  const { product } = sale
  deps.limiter.count(FAILED_GROUP, call.client)
  const answered = await replyForUsedKey(deps, sale, payment)
  if (answered) return answered
  // The request's signature proves the owner. The request may have been bought before this call, or while it queried the node.
  const current =
    product.owner === "SIGNER" ? await deps.store.read(() => findRequestRecord(product.id, sale.scope, sale.key)) : null
  const known = current && isSameBody(current, sale) ? replyForKnown(deps, sale, current) : null
  return known ?? offerQuote(deps, sale, call.at, { error, quotedBefore: error !== FOREIGN_QUOTE })
}
