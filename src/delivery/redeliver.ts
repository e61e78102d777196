/**
 * Delivers one more decision without payment when the paid one arrived too late to be useful (rulings 41). The unit that writes the answer
 * also spends the entitlement, so only one of several tries delivers.
 *
 * While the decision is computed, its request has holds and no purchase. An equal call must then ask again. A payment or a job takes the
 * request, and the replacement remains for another one.
 */

import { ServiceError } from "../base/errors.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant, instant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findDelivery, keepComputed } from "../store/sales/deliveries.ts"
import { dropHolds, hasHolds } from "../store/sales/holds.ts"
import { findClaimingPurchase, findPurchase } from "../store/sales/purchases.ts"
import { useRedelivery } from "../store/sales/redeliveries.ts"
import { claimRequest, countAgainst, findRequest, forgetRequest, moveRequest } from "../store/sales/requests.ts"
import { deliverAnswer } from "./conclude.ts"
import type { PayingDeps } from "./deps.ts"
import { lateDecisionRefusal } from "./late-decision.ts"
import { errorOfRefused, newRequest, type Refused, type Reserved, type Sale, type StoredRequest } from "./sale.ts"
import type { PaidAnswer, Replacement } from "./state.ts"

/** `late`: the request whose decision arrived late. Requires that the checks of a quote passed. */
export async function redeliver(deps: PayingDeps, sale: Sale, late: string): Promise<Replacement> {
  try {
    const answer = await replace(deps, sale, late)
    return answer ? { kind: "DELIVERED", answer } : { kind: "USED_UP" }
  } catch (error) {
    if (error instanceof ServiceError) return { kind: "REFUSED", error }
    throw error
  }
}

/** Null when another call used the replacement up. Throws ServiceError. */
async function replace(deps: PayingDeps, sale: Sale, late: string): Promise<PaidAnswer | null> {
  const { store, machine } = deps
  const { product } = sale
  const now = machine.now()
  const original = await store.read(function* () {
    const delivery = yield* findDelivery(late)
    return { delivery, purchase: delivery ? yield* findPurchase(delivery.purchaseId) : null }
  })
  if (!original.delivery || !original.purchase?.reference) throw new Error("a redelivery without its paid decision")
  const { validUntil, purchaseId, paymentResponse } = original.delivery
  const { reference, rail } = original.purchase
  if (instant(validUntil) > now) throw lateDecisionRefusal(validUntil, now)

  const newId = formatId("drq", machine.random(ID_RANDOM_BYTES))
  const claimed = await store.run(() => claim(sale, newId, now))
  if ("refused" in claimed) throw errorOfRefused(claimed)
  const { request } = claimed
  try {
    const { snapshotIds, ...computed } = await product.compute(request, claimed.records, now)
    const delivery = { ...computed, requestId: request.id, purchaseId }
    const { network } = deps.payments.chain.asset
    const final = product.finish(delivery, { network, reference })
    const at = formatInstant(machine.now())
    const end = await store.run(function* (): Unit<"DELIVERED" | "USED_UP" | Refused> {
      if (!(yield* isClaimed(request.id))) return OVERTAKEN
      if (!(yield* useRedelivery(late, request.id))) return "USED_UP"
      if (!(yield* keepComputed(delivery, snapshotIds))) throw new Error("a request without purchase has an answer")
      // A reorganization may have moved the payment meanwhile. The list follows it.
      const paidBy = (yield* findPurchase(purchaseId))?.reference ?? reference
      const paid = { rail, reference: paidBy, paymentResponse }
      const answer = { request, computed: delivery, final, ...paid, arrival: "IN_TIME" } as const
      yield* deliverAnswer(product, answer, at)
      return "DELIVERED"
    })
    if (end === "USED_UP") {
      await release(deps, request.id)
      return null
    }
    if (end !== "DELIVERED") throw errorOfRefused(end)
    deps.log.info("redelivered", { decision_id: delivery.answerId, product: product.id, decision: final.decision })
    return { body: final.body, capsuleJson: delivery.capsuleJson, paymentResponse: null }
  } catch (error) {
    await release(deps, request.id)
    throw error
  }
}

/** A purchase that took the request meanwhile keeps it and its holds. */
async function release({ store }: PayingDeps, requestId: string): Promise<void> {
  await store.run(function* (): Unit<void> {
    if (yield* findClaimingPurchase(requestId)) return
    yield* dropHolds(requestId)
    yield* forgetRequest(requestId)
  })
}

interface Claimed extends Reserved {
  readonly request: StoredRequest
}

/** The next call of the same key gets the replacement, or hears what became of the request. */
const OVERTAKEN: Refused = {
  refused: "DECISION_IN_PROGRESS",
  detail: "Another call with this idempotency key works on the request. Send the same request again.",
  context: { retryAfterSeconds: 5 },
}

/** Takes the request and its holds. Resumes a request of the same key whose holds were dropped after a crash. */
function* claim(sale: Sale, newId: string, now: number): Unit<Claimed | Refused> {
  const at = formatInstant(now)
  const id = yield* claimRequest(newRequest(sale, newId, at))
  const request = id === null ? null : yield* findRequest(id)
  if (request?.state !== "NEW" || (yield* findClaimingPurchase(request.id)) || (yield* hasHolds(request.id))) {
    return OVERTAKEN
  }
  // The time from which holds without a purchase count as abandoned.
  yield* moveRequest(request.id, "NEW", at)
  const reserved = yield* sale.product.reserve(request, now, "NAME")
  if ("refused" in reserved) {
    // The product may have taken holds before it refused.
    yield* dropHolds(request.id)
    yield* forgetRequest(request.id)
    return reserved
  }
  yield* countAgainst(request.id, reserved.delegationsUsed)
  return { request, ...reserved }
}

/** False once another call has taken the request, or its holds were dropped because this one took too long. */
function* isClaimed(id: string): Unit<boolean> {
  if ((yield* findRequest(id))?.state !== "NEW" || (yield* findClaimingPurchase(id))) return false
  return yield* hasHolds(id)
}
