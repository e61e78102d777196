/** Takes one presented payment: checks it against its quote, classifies it, verifies it on the chain, reserves it and settles it. */
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { ServiceError } from "../base/errors.ts"
import { SECOND } from "../core/time.ts"
import type { Call, Reply } from "../http/call.ts"
import { type Authorization, checkAuthorization, isWindowReason } from "../payments/authorization.ts"
import type { PresentedPayment } from "../payments/payment-header.ts"
import { checkQuote } from "../payments/quote.ts"
import { INSUFFICIENT_BALANCE, NONCE_ALREADY_USED, verifyPayment } from "../payments/verify-payment.ts"
import type { Unit } from "../store/engine/unit.ts"
import { type Attempt, findAttemptByNonce } from "../store/payments/attempts.ts"
import { findRequestRecord, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import { attemptIdentity, type PayingDeps } from "./deps.ts"
import { deliveredExecution, keyReused } from "./known-sale.ts"
import { mayHavePaid } from "./may-have-paid.ts"
import { classify } from "./next-step.ts"
import { offerOf, requireReady } from "./offer.ts"
import { pendingOverJob, pendingReply } from "./replies.ts"
import { type Presented, reserve, type Verified } from "./reserve.ts"
import { awaitOutcome, failedOutcome, otherAuthorization, presentedBefore, revealed } from "./reveal.ts"
import type { Sale } from "./sale.ts"
import { carryOut } from "./work.ts"

export type PaidCall = Pick<Call<unknown>, "headers" | "client" | "at">

/** A payment is rejected for a reason that x402 names. The response is a new quote, unless another refusal applies. */
export class NotTaken extends Error {
  constructor(readonly reason: string) {
    super(`the payment is rejected: ${reason}`)
  }
}

/** A payment that passed every check without a node. */
interface Offered {
  readonly authorization: Authorization
  readonly terms: PaymentRequirements
  readonly quoteId: string
}

/**
 * Verifies, reserves and settles a payment. Throws {@link NotTaken} and {@link ServiceError}. `repeated`: the released attempt of this very
 * header and request, if there is one.
 */
export async function take(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
  repeated: Attempt | null,
): Promise<Reply> {
  const offered = examine(deps, sale, call, payment)
  if ("reason" in offered) {
    // This service released the attempt, and the quote has expired, but the payment is not proved unpaid. A new quote could make the buyer
    // pay twice.
    if (repeated?.watched === 1) return pendingFor(deps, sale, repeated.payer)
    await requireQuoteOfThis(deps, sale, call, payment)
    throw new NotTaken(offered.reason)
  }
  const { authorization, terms } = offered
  const { known, current } = await deps.store.read(() => readPresented(deps, sale, authorization))
  const classified = classify(known, current, payment.sha256)
  // Anyone can read a known nonce on the chain. So no response says anything about it before its signature has verified.
  switch (classified.kind) {
    case "SAME_PAYLOAD":
      return awaitOutcome(deps, sale, classified.known.id, call.at)
    case "SAME_PAYLOAD_OF_ANOTHER_REQUEST":
      throw presentedBefore()
    case "NONCE_OF_ANOTHER_REQUEST":
      await verify(deps, authorization, terms)
      throw presentedBefore()
    case "FAILED_BEFORE": {
      const failed = classified.known
      const verified = await verifyAgain(deps, failed, offered)
      if (verified === null) return pendingFor(deps, sale, failed.payer)
      return failedOutcome(deps, sale, call.at, failed, failed.reason ?? "payment_failed")
    }
    case "ACQUIRED_BY_ANOTHER_PAYMENT": {
      const earlier = classified.known
      const verified = await verifyAgain(deps, earlier, offered)
      if (verified === null) return pendingFor(deps, sale, earlier?.payer)
      const isPublic = verified.alreadyUsed || (earlier !== null && earlier.state !== "RELEASED")
      return otherAuthorization(deps, sale, classified.current, authorization, isPublic)
    }
    case "RELEASED_AGAIN": {
      const released = classified.known
      const verified = await verifyAgain(deps, released, offered)
      if (verified === null) return pendingFor(deps, sale, released.payer)
      try {
        await requireSellable(deps, sale, call)
      } catch (error) {
        // The released attempt may have been paid, so no response may say that nothing was charged.
        if (verified.alreadyUsed && error instanceof ServiceError) return pendingFor(deps, sale, released.payer)
        throw error
      }
      return settle(deps, sale, call, { payment, ...offered, ...verified })
    }
    case "FIRST": {
      await requireSellable(deps, sale, call)
      const verified = await verify(deps, authorization, terms)
      return settle(deps, sale, call, { payment, ...offered, ...verified })
    }
  }
}

async function requireSellable(deps: PayingDeps, sale: Sale, call: PaidCall): Promise<void> {
  await sale.requireChecksPass("PAYMENT", call.at)
  requireReady(deps, sale.product)
}

/** Reserves a verified payment and carries it out. */
async function settle(deps: PayingDeps, sale: Sale, call: PaidCall, presented: Presented): Promise<Reply> {
  const { authorization, alreadyUsed } = presented
  const reserved = await reserve(deps, sale, presented)
  switch (reserved.kind) {
    case "refused":
      // The payment may have moved money, so a temporary refusal is 202; a retry gets the answer.
      if (alreadyUsed && reserved.error.refusal.retryable) return pendingFor(deps, sale, authorization.from)
      throw reserved.error
    case "overdrawn":
      throw new NotTaken(INSUFFICIENT_BALANCE)
    case "taken":
      if (reserved.rail === "acp") return pendingOverJob(sale.product)
      return reserved.attemptId === null
        ? pendingFor(deps, sale)
        : awaitOutcome(deps, sale, reserved.attemptId, call.at)
    case "reserved": {
      await deps.trace?.("reserved")
      const outcome = await carryOut(deps, { ...reserved.work, product: sale.product, authorization, alreadyUsed })
      return revealed(deps, sale, call.at, reserved.work.attempt, outcome)
    }
  }
}

function pendingFor({ payments }: PayingDeps, { product }: Sale, payer?: string): Reply {
  return pendingReply(product, payments.chain.asset.network, "", payer)
}

/**
 * Reads the attempt of this authorization and the idempotency record of the key in one view. An equal call in another process may have
 * reserved since the sale was read; its attempt must not count as one of another request.
 */
function* readPresented(
  deps: PayingDeps,
  sale: Sale,
  authorization: Authorization,
): Unit<{ known: Attempt | null; current: RequestRecord | null }> {
  const known = yield* findAttemptByNonce(attemptIdentity(deps, authorization))
  const requestRecord = yield* findRequestRecord(sale.product.id, sale.scope, sale.key)
  return { known, current: requestRecord && isSameBody(requestRecord, sale) ? requestRecord : null }
}

/** Throws IDEMPOTENCY_KEY_REUSED when the payment is valid for the other body of the idempotency record. */
async function requireQuoteOfThis(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
): Promise<void> {
  const { requestRecord } = sale.records
  if (!requestRecord || requestRecord.bodyDigest === sale.bodyDigest) return
  const offered = examine(deps, { ...sale, bodyDigest: requestRecord.bodyDigest }, call, payment)
  if ("reason" in offered) return
  const { authorization, terms } = offered
  const verified = await verify(deps, authorization, terms).catch((error: unknown) => {
    if (error instanceof NotTaken) return null
    throw error
  })
  if (verified === null) return
  const { known } = await deps.store.read(() => readPresented(deps, sale, authorization))
  if (known !== null || verified.alreadyUsed) throw presentedBefore()
  throw keyReused(await deps.store.read(() => deliveredExecution(requestRecord)))
}

/** Checks that need no node: quote, terms and payer. */
function examine(
  deps: PayingDeps,
  sale: Sale,
  call: PaidCall,
  payment: PresentedPayment,
): Offered | { readonly reason: string } {
  const nowSeconds = Math.floor(call.at / SECOND)
  const { accepted } = payment.payload
  const quote = checkQuote(deps.payments.quoteKey, offerOf(deps, sale), sale.bodyDigest, accepted, nowSeconds)
  if (!quote.ok) return { reason: quote.reason }
  const checked = checkAuthorization(payment.payload, quote.terms, sale.expectedPayer)
  return checked.ok
    ? { authorization: checked.authorization, terms: quote.terms, quoteId: quote.quoteId }
    : { reason: checked.reason }
}

/**
 * As {@link verify}, for an authorization of which this request may have an attempt. Null when verification failed and that attempt was
 * released and may have been paid: its money may have moved until the chain shows the authorization as unused. When its window is the
 * reason, anyone may still submit it in the seconds that are left.
 */
async function verifyAgain(
  deps: PayingDeps,
  known: Attempt | null,
  { authorization, terms }: Offered,
): Promise<Verified | null> {
  try {
    return await verify(deps, authorization, terms)
  } catch (error) {
    if (known?.watched !== 1 || !(error instanceof ServiceError || error instanceof NotTaken)) throw error
    if (error instanceof NotTaken && isWindowReason(error.reason)) return null
    if (await mayHavePaid(deps, known, known.reason ?? "")) return null
    throw error
  }
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
