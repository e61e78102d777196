/** Ends an attempt in one unit: paid, with its answer stored; or unpaid, with its holds released. */
import { formatInstant, HOUR, instant } from "../core/time.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import { endAttempt, settleAttempt, type Transfer } from "../store/payments/attempt-moves.ts"
import type { Attempt, AttemptState } from "../store/payments/attempts.ts"
import { type ComputedDelivery, dropComputed, findDelivery, finishDelivery } from "../store/sales/deliveries.ts"
import { dropHolds, spendHolds } from "../store/sales/holds.ts"
import { grantRedelivery } from "../store/sales/redeliveries.ts"
import { findRequest, moveRequest, recordEntitlement } from "../store/sales/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { PayingDeps } from "./deps.ts"
import { USEFUL_VALIDITY_MS } from "./late-decision.ts"
import type { PaidProduct, Refused, StoredRequest } from "./sale.ts"

/** How long the owner may ask for the replacement, in milliseconds. */
const REDELIVERY_MS = 24 * HOUR

/**
 * Writes SETTLED, the final body, the entitlement and the records in one unit. Returns false when another worker was faster; its answer
 * counts. INVARIANT: only this function finishes the body, and only once. `stillAllowed` runs first in that unit and may end it by a
 * refusal. Then the computed decision and its holds are dropped, and the attempt stays as it is.
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

/**
 * The member that names a delivery in a log line. The execution id of a `PAYER` product gives access to its answer, so it is not logged.
 */
function loggedId({ owner }: PaidProduct, { answerId, deliveryReference }: ComputedDelivery) {
  return owner === "PAYER" ? { delivery_id: deliveryReference } : { decision_id: answerId }
}

/**
 * Moves the attempt to FAILED or RELEASED: nothing was charged. Deletes the computed core and releases the holds. Returns false when this
 * process lost the lease.
 */
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
