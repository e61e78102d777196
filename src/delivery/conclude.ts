/**
 * Ends a purchase in one unit. Paid, over any rail: the rail's record, the final body, the entitlement and the records. Unpaid over x402: the
 * holds are released.
 */
import { containsCapsule } from "../core/capsule/capsule-in-body.ts"
import { formatInstant, instant } from "../core/time.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import type { Turn, Unit } from "../store/engine/unit.ts"
import { type AttemptEnd, endAttempt, settleAttempt, type Transfer } from "../store/payments/attempt-moves.ts"
import { transferReference } from "../store/payments/attempt-totals.ts"
import type { Attempt, AttemptState } from "../store/payments/attempts.ts"
import { turnOfPayer } from "../store/payments/unsettled-value.ts"
import {
  type ComputedDelivery,
  dropComputed,
  type FinishedBody,
  findDelivery,
  finishDelivery,
} from "../store/sales/deliveries.ts"
import { dropHolds, spendHolds } from "../store/sales/holds.ts"
import type { Rail } from "../store/sales/purchases.ts"
import { grantRedelivery, REDELIVERY_MS } from "../store/sales/redeliveries.ts"
import { findRequest, moveRequest, recordEntitlement } from "../store/sales/requests.ts"
import { keepSold, transactionIn } from "../store/sales/sold-answers.ts"
import { recordSuppressionUse } from "../store/sources/suppressions.ts"
import { appliedSuppressions } from "./applied-suppressions.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import { USEFUL_VALIDITY_MS } from "./late-decision.ts"
import type { FinalBody, PaidProduct, Refused, SettlementFacts, StoredRequest } from "./sale.ts"
import type { PaidAnswer } from "./state.ts"

/** What a rail knows of the payment for one request, whose decision is computed and stored. */
export interface Acquisition {
  readonly requestId: string
  readonly rail: Rail
  readonly settlement: SettlementFacts
  /** Value of the header `payment-response`. Null over a rail without it. */
  readonly paymentResponse: string | null
  /** Moves the rail's own record and with it the purchase to ACQUIRED. `at` is RFC 3339. False when another worker was faster. */
  readonly railMove: (at: string) => Unit<boolean>
  /** Runs first in the unit, and may end it by a refusal. Then the computed decision and its holds are dropped. */
  readonly stillAllowed?: (request: StoredRequest, computed: ComputedDelivery) => Unit<Refused | null>
  /** Of the unit. */
  readonly turn?: Turn
  /** As stored by this process, which has worked on the purchase since. Read if absent. */
  readonly decided?: Decided
}

/** A request, and the answer that is computed for it and stored. */
export interface Decided {
  readonly request: StoredRequest
  readonly computed: ComputedDelivery
}

/**
 * Returns the delivered answer, or null when another worker was faster; its answer counts. INVARIANT: only this function finishes the body of a
 * purchase, and only once.
 */
export async function acquire(
  deps: Pick<DeliveryDeps, "store" | "machine" | "log" | "trace">,
  product: PaidProduct,
  { requestId, rail, settlement, paymentResponse, railMove, stillAllowed, turn, decided }: Acquisition,
): Promise<PaidAnswer | Refused | null> {
  const { store, machine } = deps
  const known = decided ?? (await store.read(() => readDecided(requestId)))
  if (known === null) return null
  const { request, computed } = known
  const final = product.finish(computed, settlement)
  const now = machine.now()
  const at = formatInstant(now)
  const suppressions = appliedSuppressions(computed.factsJson)
  const arrival = instant(computed.validUntil) - now < USEFUL_VALIDITY_MS ? "EXPIRED_ON_ARRIVAL" : "IN_TIME"
  const done = await store.run(function* (): Unit<boolean | Refused> {
    const refused = stillAllowed ? yield* stillAllowed(request, computed) : null
    if (refused) {
      yield* dropComputed(request.id)
      yield* dropHolds(request.id)
      return refused
    }
    if (!(yield* railMove(at))) return false
    const { reference } = settlement
    yield* deliverAnswer(product, { request, computed, final, rail, reference, paymentResponse, arrival }, at)
    yield* recordSuppressionUse(suppressions, { requestId, at })
    const subject = product.subjectOf(request)
    if (arrival === "EXPIRED_ON_ARRIVAL" && subject !== null) {
      const until = formatInstant(now + REDELIVERY_MS)
      yield* grantRedelivery({ requestId: request.id, scope: request.scope, subject, until })
    }
    return true
  }, turn)
  if (done !== true) return done || null
  deps.log.info("delivered", {
    ...loggedId(product, computed),
    product: product.id,
    decision: final.decision,
    arrival,
  })
  await deps.trace?.("settled")
  return { body: final.body, capsuleJson: computed.capsuleJson, paymentResponse }
}

/** Null when another worker was faster: the row has the body, and no core any more. */
function* readDecided(requestId: string): Unit<Decided | null> {
  const [request, computed] = [yield* findRequest(requestId), yield* findDelivery(requestId)]
  if (!request || !computed) throw new Error("a settled purchase has no computed decision")
  return computed.body === null ? { request, computed } : null
}

interface DeliveredAnswer extends Decided, Pick<FinishedBody, "paymentResponse" | "arrival"> {
  readonly final: FinalBody
  readonly rail: Rail
  /** See {@link SettlementFacts}. */
  readonly reference: string
}

/**
 * Writes the final body, and what follows from it: the entitlement, the spent holds, the product's records and the row of the operator's list.
 * An answer that has a body, and a signed request that another request sold, are bugs: the error rolls the whole unit back, so nothing of this
 * sale is stored. `at` is RFC 3339.
 */
export function* deliverAnswer(product: PaidProduct, answer: DeliveredAnswer, at: string): Unit<void> {
  const { request, computed, final, rail, reference, paymentResponse, arrival } = answer
  const holdsCapsule = containsCapsule(final.body, computed.capsuleJson)
  const finished = { ...final, holdsCapsule, product: product.id, paymentResponse, arrival }
  if (!(yield* finishDelivery(request.id, finished, at))) throw new Error("the answer was delivered before")
  yield* moveRequest(request.id, "DELIVERED", at)
  if (product.owner === "SIGNER" && !(yield* recordEntitlement(request.requestDigest, rail, request.id, at))) {
    throw new Error("the signed request was sold to another request")
  }
  yield* spendHolds(request.id)
  const { payer, party } = yield* product.remember(request, computed, final)
  const { answerId, deliveryReference } = computed
  const sold = { requestId: request.id, soldAt: at, product: product.id, decision: final.decision, payer }
  yield* keepSold({ ...sold, tx: transactionIn(reference), answerId, deliveryReference }, party)
}

/**
 * The member that names a delivery in a log line. The execution id of a `PAYER` product gives access to its answer, so it is not logged.
 */
function loggedId({ owner }: PaidProduct, { answerId, deliveryReference }: ComputedDelivery) {
  return owner === "PAYER" ? { delivery_id: deliveryReference } : { decision_id: answerId }
}

interface PaidEnd extends Pick<Acquisition, "stillAllowed" | "decided"> {
  readonly from: AttemptState
  readonly transfer: Transfer
}

/** The chain has proved the transfer. See {@link acquire}. */
export async function concludePaid(
  deps: PayingDeps,
  product: PaidProduct,
  attempt: Attempt,
  { from, transfer, ...rest }: PaidEnd,
): Promise<PaidAnswer | Refused | null> {
  const { network } = deps.payments.chain.asset
  const { id, requestId, chainId, payer, value: amount } = attempt
  const { tx: transaction } = transfer
  return acquire(deps, product, {
    requestId,
    rail: "x402",
    settlement: { network, reference: transferReference({ chainId, tx: transaction }) },
    paymentResponse: encodeHeader({ success: true, transaction, network, payer, amount }),
    railMove: (at) => settleAttempt(id, deps.owner, { from, at, transfer }),
    turn: turnOfPayer(payer),
    ...rest,
  })
}

/**
 * Moves the attempt to FAILED or RELEASED: nothing was charged. Deletes the computed core and releases the holds. Returns false when this
 * process lost the lease.
 */
export async function concludeUnpaid(
  { store, machine, owner }: PayingDeps,
  { id, requestId, payer }: Pick<Attempt, "id" | "requestId" | "payer">,
  end: Omit<AttemptEnd, "at">,
): Promise<boolean> {
  const at = formatInstant(machine.now())
  return store.run(function* (): Unit<boolean> {
    if (!(yield* endAttempt(id, owner, { ...end, at }))) return false
    yield* dropComputed(requestId)
    yield* dropHolds(requestId)
    yield* moveRequest(requestId, "NEW", at)
    return true
  }, turnOfPayer(payer))
}
