/** The response about an attempt: the stored bytes, an unknown outcome, or proof that nothing was paid. */
import { ServiceError } from "../base/errors.ts"
import type { Reply } from "../http/call.ts"
import type { Authorization } from "../payments/authorization.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import { StoreUnavailable } from "../store/engine/store-error.ts"
import { type Attempt, findAttempt } from "../store/payments/attempts.ts"
import { findDelivery } from "../store/sales/deliveries.ts"
import type { RequestRecord } from "../store/sales/requests.ts"
import type { PayingDeps } from "./deps.ts"
import { mayHavePaid } from "./may-have-paid.ts"
import { newQuote, requireReady } from "./offer.ts"
import { deliveredReply, pendingOverJob, pendingReply } from "./replies.ts"
import type { Sale } from "./sale.ts"
import { GIVEN_UP_THOUGH_USED, type Outcome } from "./work.ts"

/** How often a request polls the database for another worker's outcome, in milliseconds. */
const POLL_MS = 50

/** The text is the same for every request, so that a caller who copied a signature from the chain learns nothing about a key. */
export function presentedBefore(): ServiceError {
  return new ServiceError(
    "PAYMENT_NONCE_REUSED",
    "This authorization was presented before and is not used again; only the exact header that first carried it gets the answer.",
  )
}

/**
 * Responds to a second valid authorization of the same payer for a known request. The response comes from the store; the authorization is
 * neither stored nor sent. Anyone can copy an authorization that the chain has seen (`isPublic`), so it gets nothing; only its original
 * header gets the answer.
 */
export async function otherAuthorization(
  deps: PayingDeps,
  sale: Sale,
  requestRecord: RequestRecord,
  authorization: Authorization,
  isPublic: boolean,
): Promise<Reply> {
  if (isPublic && requestRecord.state === "DELIVERED") throw presentedBefore()
  const delivery = await deps.store.read(() => findDelivery(requestRecord.id))
  const settled = delivery ? await deps.store.read(() => findAttempt(delivery.purchaseId)) : null
  if (!isPublic && delivery?.body && settled?.payer === authorization.from) {
    const presented = sale.product.present({ ...delivery, body: delivery.body }, true)
    return deliveredReply(sale.product, presented, delivery.paymentResponse)
  }
  if (requestRecord.state === "DELIVERED") {
    throw new ServiceError("ALREADY_ACQUIRED", "Another payer acquired it; this authorization was not used.")
  }
  if (requestRecord.purchase?.rail === "acp") return pendingOverJob(sale.product)
  return pendingReply(sale.product, deps.payments.chain.asset.network, "")
}

/**
 * Waits for an attempt that a worker holds, in this or another process. When the database cannot be read, the outcome is unknown and not
 * "uncharged", because money may have moved.
 */
export async function awaitOutcome(
  deps: PayingDeps,
  sale: Sale,
  attemptId: string,
  at: number,
  replayed = true,
): Promise<Reply> {
  const until = deps.machine.monotonic() + deps.payments.settleWaitMs
  const { network } = deps.payments.chain.asset
  try {
    for (;;) {
      const attempt = await deps.store.read(() => findAttempt(attemptId))
      if (!attempt) throw new Error("an attempt vanished")
      const answer = await settledReply(deps, sale, at, attempt, replayed)
      if (answer) return answer
      if (deps.machine.monotonic() >= until) return pendingReply(sale.product, network, "", attempt.payer)
      await deps.machine.sleep(POLL_MS)
    }
  } catch (error) {
    if (error instanceof StoreUnavailable) return pendingReply(sale.product, network, "")
    throw error
  }
}

async function settledReply(
  deps: PayingDeps,
  sale: Sale,
  at: number,
  attempt: Attempt,
  replayed: boolean,
): Promise<Reply | null> {
  switch (attempt.state) {
    case "SETTLED": {
      const delivery = await deps.store.read(() => findDelivery(attempt.requestId))
      if (!delivery?.body) throw new Error("a settled attempt has no finished answer")
      const presented = sale.product.present({ ...delivery, body: delivery.body }, replayed)
      return deliveredReply(sale.product, presented, delivery.paymentResponse)
    }
    case "FAILED":
      return failedOutcome(deps, sale, at, attempt, attempt.reason ?? "payment_failed")
    case "RELEASED":
      // While no process worked on the attempt, somebody else may have submitted its authorization: ask the chain before saying "not charged".
      if (attempt.reason === GIVEN_UP_THOUGH_USED || (await mayHavePaid(deps, attempt, attempt.reason ?? ""))) {
        return pendingReply(sale.product, deps.payments.chain.asset.network, "", attempt.payer)
      }
      return requireNotReleased(deps, sale, attempt)
    case "PAID_OWED":
      return pendingReply(sale.product, deps.payments.chain.asset.network, attempt.settledTx ?? "", attempt.payer)
    default:
      return null
  }
}

/**
 * Throws the refusal of a released attempt. The reason of the release may still apply, so the checks run again: a caller who waited gets the
 * same refusal as the first caller. Returns null if an equal call reserved the attempt again in the meantime; its outcome is the response.
 */
async function requireNotReleased(deps: PayingDeps, sale: Sale, { id, reason }: Attempt): Promise<null> {
  const refusal = await sale.requireChecksPass("PAYMENT", deps.machine.now()).then(
    () =>
      new ServiceError(
        "CHAIN_UNAVAILABLE",
        "The attempt was given up before anything was sent; present the same payment again.",
        { reasonCodes: reason ? [reason] : [] },
      ),
    (error: unknown) => error,
  )
  const current = await deps.store.read(() => findAttempt(id))
  if (current?.state === "RELEASED") throw refusal
  return null
}

export async function revealed(
  deps: PayingDeps,
  sale: Sale,
  at: number,
  attempt: Attempt,
  outcome: Outcome,
): Promise<Reply> {
  switch (outcome.kind) {
    case "delivered":
      return awaitOutcome(deps, sale, attempt.id, at, false)
    case "elsewhere":
      return awaitOutcome(deps, sale, attempt.id, at)
    case "pending":
      return pendingReply(sale.product, deps.payments.chain.asset.network, outcome.transaction, attempt.payer)
    case "failed":
    case "refused":
      return failedOutcome(deps, sale, at, attempt, outcome.reason)
    case "released":
      throw outcome.error
  }
}

/** The outcome of a failed attempt: 402, or 202 while its payment may have moved money without this service. */
export async function failedOutcome(
  deps: PayingDeps,
  sale: Sale,
  at: number,
  attempt: Attempt,
  reason: string,
): Promise<Reply> {
  if (await mayHavePaid(deps, attempt, reason)) {
    return pendingReply(sale.product, deps.payments.chain.asset.network, "", attempt.payer)
  }
  return unpaidOutcome(deps, sale, at, attempt, reason)
}

/**
 * The chain proved that this authorization paid nothing. Returns a new quote, or throws the refusal that applies now. Both carry the failed
 * settlement in `payment-response`.
 */
async function unpaidOutcome(
  deps: PayingDeps,
  sale: Sale,
  at: number,
  attempt: Attempt,
  reason: string,
): Promise<Reply> {
  const { network } = deps.payments.chain.asset
  const failed = { success: false, errorReason: reason, transaction: "", network, payer: attempt.payer }
  try {
    await sale.requireChecksPass("REQUOTE", at)
    requireReady(deps, sale.product)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw error.withHeaders({ "payment-response": encodeHeader(failed) })
  }
  return newQuote(deps, sale, at, reason, failed)
}
