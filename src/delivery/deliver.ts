/**
 * The one path of every paid request: find, quote, claim, decide, seal, settle, reveal. It never charges twice: a request has one live
 * attempt (unique index), an authorization belongs to one request (unique index), the code looks for a stored answer before it looks at a
 * payment, and an unknown outcome is 202, never a new quote.
 */
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { SECOND } from "../core/time.ts"
import { ServiceError } from "../errors.ts"
import type { Answer, Call } from "../http/call.ts"
import { type Authorization, checkAuthorization } from "../payments/authorization.ts"
import { hasOnlyVersion1Header, type PresentedPayment, readPaymentHeader } from "../payments/payment-header.ts"
import { checkQuote, FOREIGN_QUOTE } from "../payments/quote.ts"
import { INSUFFICIENT_BALANCE, NONCE_ALREADY_USED, verifyPayment } from "../payments/verify-payment.ts"
import { type Attempt, findAttemptByNonce, findAttemptByPayload } from "../store/payments/attempts.ts"
import { findStanding, isSameBody, type Standing } from "../store/sales/requests.ts"
import type { Unit } from "../store/unit.ts"
import { pendingAnswer } from "./answers.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import { alreadyAcquired, deliveredExecution, keyReused, soldElsewhere } from "./known-sale.ts"
import { mayHavePaid } from "./may-have-paid.ts"
import { newQuote, offerOf, offerQuote, requireReady } from "./offer.ts"
import { redeliver } from "./redeliver.ts"
import { reserve, type Verified } from "./reserve.ts"
import { awaitOutcome, failedOutcome, otherAuthorization, presentedBefore, revealed } from "./reveal.ts"
import type { Sale } from "./sale.ts"
import { carryOut } from "./work.ts"

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

export type PaidCall = Pick<Call<unknown>, "headers" | "client" | "at">

export async function deliver(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Answer> {
  const payment = requireReadable(call.headers)
  const { soldTo } = sale.records
  const standing = sameBody(sale)
  if (soldTo !== null && soldTo !== standing?.id) {
    throw soldElsewhere()
  }
  const { payments } = deps
  if (!payments) throw new ServiceError("PAYMENTS_OFF", "This server does not sell decisions.")
  const paying: PayingDeps = { ...deps, payments }
  return payment === null ? unpaid(paying, sale, call, standing) : paid(paying, sale, call, standing, payment)
}

/**
 * The idempotency record of the key, if it has the same body. Throws for another body when the signed request proves the owner. A `PAYER`
 * product does not know its owner yet, so it returns null; the check runs after the payment is verified.
 */
function sameBody(sale: Sale): Standing | null {
  const { standing } = sale.records
  if (!standing || isSameBody(standing, sale)) return standing
  if (sale.product.owner === "PAYER") return null
  throw keyReused()
}

function requireReadable(headers: Headers): PresentedPayment | null {
  const payment = readPaymentHeader(headers)
  if (typeof payment !== "string") return payment
  throw new ServiceError("PAYMENT_HEADER_MALFORMED", "Send one Payment-Signature header of x402 version 2.", {
    reasonCodes: [payment],
  })
}

async function unpaid(deps: PayingDeps, sale: Sale, call: PaidCall, standing: Standing | null): Promise<Answer> {
  if (standing?.state === "DELIVERED") {
    throw alreadyAcquired(sale.product)
  }
  if (standing?.attempt) return pendingAnswer(sale.product, deps.payments.chain.asset.network, "")
  await sale.check("QUOTE", call.at)
  const replacement = await redeliver(deps, sale)
  if (replacement) return replacement
  requireReady(deps, sale.product)
  return newQuote(deps, sale, call.at, hasOnlyVersion1Header(call.headers) ? VERSION_1_NOT_READ : undefined)
}

async function paid(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  standing: Standing | null,
  payment: PresentedPayment,
): Promise<Answer> {
  const { standing: held } = sale.records
  if (held && standing === null) await refusePresentedForOther(deps, held, payment)
  // Only the exact payload that was verified gets its outcome without a new verification. Any other header is verified below.
  const repeated = standing ? await deps.store.read(() => findAttemptByPayload(standing.id, payment.sha256)) : null
  // Count by payment, not by address: then no other client can use up the buyer's limit.
  if (repeated) deps.limiter.take(REPEATS_GROUP, payment.sha256, REPEATS_PER_MINUTE)
  else deps.limiter.take(PAID_GROUP, call.client, PAID_PER_MINUTE)
  if (repeated && repeated.state !== "RELEASED") return awaitOutcome(deps, sale, repeated.id, call.at)
  deps.limiter.refuseAbove(FAILED_GROUP, call.client, FAILED_VERIFICATIONS_PER_MINUTE)
  try {
    return await take(deps, sale, call, payment, repeated)
  } catch (error) {
    if (!(error instanceof NotTaken) && !(error instanceof ServiceError)) throw error
    // While this call queried the node, an equal call may have reserved and sent the payment. Then its outcome is the response.
    const equal = await deps.store.read(() => attemptOfEqualCall(sale, payment))
    if (equal && equal.state !== "RELEASED") return awaitOutcome(deps, sale, equal.id, call.at)
    if (error instanceof NotTaken) return failedVerification(deps, sale, call, error.reason)
    throw error
  }
}

/** INVARIANT: an attempt is stored only after its payer's signature verified. So this payload proves who owns the key. */
async function refusePresentedForOther(deps: PayingDeps, held: Standing, { sha256 }: PresentedPayment): Promise<void> {
  if ((await deps.store.read(() => findAttemptByPayload(held.id, sha256))) === null) return
  deps.limiter.take(REPEATS_GROUP, sha256, REPEATS_PER_MINUTE)
  throw keyReused()
}

/** A payment is rejected for a reason that x402 names. The response is a new quote, unless another refusal applies. */
class NotTaken extends Error {
  constructor(readonly reason: string) {
    super(`the payment is rejected: ${reason}`)
  }
}

/** Verifies, reserves and settles a payment. Throws {@link NotTaken} and {@link ServiceError}. */
async function take(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
  repeated: Attempt | null,
): Promise<Answer> {
  const { product } = sale
  const { network } = deps.payments.chain.asset
  const offered = examine(deps, sale, call, payment)
  if ("reason" in offered) {
    // This service released the attempt, and the quote has expired, but the payment is not proved unpaid. A new quote could make the buyer
    // pay twice.
    if (repeated?.watched === 1) return pendingAnswer(product, network, "", repeated.payer)
    await refuseQuoteOfOther(deps, sale, call, payment)
    throw new NotTaken(offered.reason)
  }
  const { authorization, terms, quoteId } = offered
  const { known, current } = await deps.store.read(() => readPresented(deps, sale, authorization))
  const isOthers = known !== null && known.requestId !== current?.id
  if (known?.payloadSha256 === payment.sha256) {
    if (isOthers) throw presentedBefore()
    if (known.state !== "RELEASED") return awaitOutcome(deps, sale, known.id, call.at)
  }
  const acquired = current?.state === "DELIVERED" || current?.attempt ? current : null
  const requireSellable = async () => {
    await sale.check("PAYMENT", call.at)
    requireReady(deps, sale.product)
  }
  // Anyone can read a known nonce on the chain. So disclose nothing about it before its signature has verified.
  if (!known && !acquired) await requireSellable()
  const verified = await verify(deps, authorization, terms).catch(async (error: unknown) => {
    // This service released the attempt earlier. Its money may have moved until the chain shows the authorization as unused.
    const isOpen = known?.watched === 1 && !isOthers && (error instanceof ServiceError || error instanceof NotTaken)
    if (isOpen && (await mayHavePaid(deps, known, known.reason ?? ""))) return null
    throw error
  })
  if (verified === null) return pendingAnswer(product, network, "", known?.payer)
  if (isOthers) throw presentedBefore()
  if (known?.state === "FAILED") return failedOutcome(deps, sale, call.at, known, known.reason ?? "payment_failed")
  if (acquired) {
    const isPublic = verified.alreadyUsed || (known !== null && known.state !== "RELEASED")
    return otherAuthorization(deps, sale, acquired, authorization, isPublic)
  }
  if (known) {
    try {
      await requireSellable()
    } catch (error) {
      // The released attempt may have been paid, so no response may say that nothing was charged.
      if (verified.alreadyUsed && error instanceof ServiceError) return pendingAnswer(product, network, "", known.payer)
      throw error
    }
  }

  const reserved = await reserve(deps, sale, { payment, authorization, quoteId, ...verified })
  switch (reserved.kind) {
    case "refused":
      // The payment may have moved money, so a temporary refusal is 202; a retry gets the answer.
      if (verified.alreadyUsed && reserved.error.refusal.retryable) {
        return pendingAnswer(product, network, "", authorization.from)
      }
      throw reserved.error
    case "overdrawn":
      throw new NotTaken(INSUFFICIENT_BALANCE)
    case "taken":
      return reserved.attemptId === null
        ? pendingAnswer(product, network, "")
        : awaitOutcome(deps, sale, reserved.attemptId, call.at)
    case "reserved": {
      await deps.trace?.("reserved")
      const outcome = await carryOut(deps, {
        ...reserved.work,
        product,
        authorization,
        alreadyUsed: verified.alreadyUsed,
      })
      return revealed(deps, sale, call.at, reserved.work.attempt, outcome)
    }
  }
}

/**
 * Reads the attempt of this authorization and the idempotency record of the key in one view. An equal call in another process may have
 * reserved since the sale was read; its attempt must not count as one of another request.
 */
function* readPresented(
  { payments }: PayingDeps,
  sale: Sale,
  { from: payer, nonce }: Authorization,
): Unit<{ known: Attempt | null; current: Standing | null }> {
  const { chainId, address: asset } = payments.chain.asset
  const known = yield* findAttemptByNonce({ chainId, asset, payer, nonce })
  const standing = yield* findStanding(sale.product.id, sale.scope, sale.key)
  return { known, current: standing && isSameBody(standing, sale) ? standing : null }
}

/** The attempt of this same payment and body, made by any call or process. */
function* attemptOfEqualCall(sale: Sale, { sha256 }: PresentedPayment): Unit<Attempt | null> {
  const current = yield* findStanding(sale.product.id, sale.scope, sale.key)
  return current && isSameBody(current, sale) ? yield* findAttemptByPayload(current.id, sha256) : null
}

/** Throws IDEMPOTENCY_KEY_REUSED when the payment is valid for the other body of the idempotency record. */
async function refuseQuoteOfOther(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
): Promise<void> {
  const { standing } = sale.records
  if (!standing || standing.bodyDigest === sale.bodyDigest) return
  const offered = examine(deps, { ...sale, bodyDigest: standing.bodyDigest }, call, payment)
  if ("reason" in offered) return
  const { authorization, terms } = offered
  const verified = await verify(deps, authorization, terms).catch((error: unknown) => {
    if (error instanceof NotTaken) return null
    throw error
  })
  if (verified === null) return
  const { known } = await deps.store.read(() => readPresented(deps, sale, authorization))
  if (known !== null || verified.alreadyUsed) throw presentedBefore()
  throw keyReused(await deps.store.read(() => deliveredExecution(standing)))
}

/** Checks that need no node: quote, terms, validity window and payer. */
function examine(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
): { authorization: Authorization; terms: PaymentRequirements; quoteId: string } | { reason: string } {
  const nowSeconds = Math.floor(call.at / SECOND)
  const { accepted } = payment.payload
  const quote = checkQuote(deps.payments.quoteKey, offerOf(deps, sale), sale.bodyDigest, accepted, nowSeconds)
  if (!quote.ok) return { reason: quote.reason }
  const checked = checkAuthorization(payment.payload, quote.terms, nowSeconds, sale.expectedPayer)
  return checked.ok
    ? { authorization: checked.authorization, terms: quote.terms, quoteId: quote.quoteId }
    : { reason: checked.reason }
}

/** Throws {@link NotTaken}, and CHAIN_UNAVAILABLE when the node does not respond. */
async function verify(
  { payments }: PayingDeps,
  authorization: Authorization,
  terms: PaymentRequirements,
): Promise<Verified> {
  const sender = payments.settler.kind === "self" ? payments.settler.relayer.address : payments.payTo
  const verification = await verifyPayment(payments.chain, authorization, terms, sender)
  if ("unavailable" in verification) {
    throw new ServiceError(
      "CHAIN_UNAVAILABLE",
      "The payment could not be checked, and this call reserved and sent nothing. Present the same payment again later.",
    )
  }
  if (verification.isValid) return { ...verification, alreadyUsed: false }
  if (verification.reason === NONCE_ALREADY_USED) {
    const { payerCodeHash } = verification
    return { payerHasCode: payerCodeHash !== null, payerCodeHash, alreadyUsed: true, balance: null }
  }
  throw new NotTaken(verification.reason)
}

/** Counts the rejected payment against its client. Returns a quote only if an unpaid call would get one. */
async function failedVerification(deps: PayingDeps, sale: Sale, call: PaidCall, error: string): Promise<Answer> {
  deps.limiter.count(FAILED_GROUP, call.client)
  return offerQuote(deps, sale, call.at, { error, quotedBefore: error !== FOREIGN_QUOTE })
}
