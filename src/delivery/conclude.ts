/** How an attempt ends: paid, with its answer, in one unit; or unpaid, with everything it held given back, in one unit. */
import { formatInstant, HOUR, instant } from "../core/time.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import { endAttempt, settleAttempt, type Transfer } from "../store/attempt-moves.ts"
import type { Attempt, AttemptState } from "../store/attempts.ts"
import { type ComputedDelivery, dropComputed, findDelivery, finishDelivery } from "../store/deliveries.ts"
import { dropHolds, spendHolds } from "../store/holds.ts"
import { grantRedelivery } from "../store/redeliveries.ts"
import { findRequest, moveRequest, recordEntitlement } from "../store/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { PayingDeps } from "./deps.ts"
import { USEFUL_VALIDITY_MS } from "./late-decision.ts"
import type { PaidProduct, Refused, StoredRequest } from "./sale.ts"

/** How long its owner may ask for the replacement. */
const REDELIVERY_MS = 24 * HOUR

/**
 * SETTLED, the final body, the entitlement and the records: all or nothing. False when another worker was faster; then its
 * answer is the answer. INVARIANT: the body is finished here and nowhere else, once. `stillAllowed` runs first in that unit and may end it
 * by a refusal: then the computed decision and what it held are dropped, and the attempt stays as it is.
 */
export async function concludePaid(
  deps: PayingDeps,
  product: PaidProduct,
  attempt: Attempt,
  from: AttemptState,
  transfer: Transfer,
  stillAllowed?: (request: StoredRequest, computed: ComputedDelivery) => Unit<Refused | null>,
): Promise<boolean | Refused> {
  const { store, machine, owner } = deps
  const [request, computed] = await store.read(function* () {
    return [yield* findRequest(attempt.requestId), yield* findDelivery(attempt.requestId)] as const
  })
  if (!request || !computed) throw new Error("a settled attempt has no computed decision")
  const { network } = deps.payments.chain.asset
  const final = product.finish(computed, { network, chainId: attempt.chainId, transaction: transfer.tx })
  const paymentResponse = encodeHeader({
    success: true,
    transaction: transfer.tx,
    network,
    payer: attempt.payer,
    amount: attempt.value,
  })
  const now = machine.now()
  const at = formatInstant(now)
  const arrival = instant(computed.validUntil) - now < USEFUL_VALIDITY_MS ? "EXPIRED_ON_ARRIVAL" : "IN_TIME"
  const done = await store.run(function* (): Unit<boolean | Refused> {
    const refused = stillAllowed ? yield* stillAllowed(request, computed) : null
    if (refused) {
      yield* dropComputed(request.id)
      yield* dropHolds(request.id)
      return refused
    }
    if (!(yield* settleAttempt(attempt.id, from, owner, transfer, at))) return false
    yield* finishDelivery(request.id, { ...final, paymentResponse, arrival }, at)
    yield* moveRequest(request.id, "DELIVERED", at)
    if (product.owner === "SIGNER") yield* recordEntitlement(request.requestDigest, "x402", request.id, at)
    yield* spendHolds(request.id)
    yield* product.remember(request, computed, final)
    const subject = product.subjectOf(request)
    if (arrival === "EXPIRED_ON_ARRIVAL" && subject !== null) {
      const until = formatInstant(now + REDELIVERY_MS)
      yield* grantRedelivery({ requestId: request.id, scope: request.scope, subject, until })
    }
    return true
  })
  if (done === true) {
    deps.log.info("delivered", {
      ...loggedId(product, computed),
      product: product.id,
      decision: final.decision,
      arrival,
    })
    await deps.trace?.("settled")
  }
  return done
}

/** What a log line names a delivery by: the execution id of the eight products gives its answer to whoever reads it, and is not logged. */
function loggedId({ owner }: PaidProduct, { decisionId, deliveryReference }: ComputedDelivery) {
  return owner === "PAYER" ? { delivery_id: deliveryReference } : { decision_id: decisionId }
}

/** FAILED or RELEASED: nothing was charged, the computed core goes, holds are free for others. False when the lease is lost. */
export async function concludeUnpaid(
  deps: PayingDeps,
  attempt: Pick<Attempt, "id" | "requestId">,
  from: AttemptState,
  to: "FAILED" | "RELEASED",
  reason: string,
  watched: boolean,
): Promise<boolean> {
  const at = formatInstant(deps.machine.now())
  return deps.store.run(function* (): Unit<boolean> {
    if (!(yield* endAttempt(attempt.id, from, to, deps.owner, at, reason, watched))) return false
    yield* dropComputed(attempt.requestId)
    yield* dropHolds(attempt.requestId)
    yield* moveRequest(attempt.requestId, "NEW", at)
    return true
  })
}
