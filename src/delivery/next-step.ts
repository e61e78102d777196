/**
 * Decides each step of a paid request. Pure: the state decides, without clock, chain or database; `run.ts` does what the verdict says.
 *
 * It never charges twice: a stored outcome is found before a payment is verified, only a verified payment is reserved, and only a
 * reserved one is settled. An outcome that is not known is PENDING (202) and never QUOTE (402), because a stock client signs again on 402.
 * Whatever a caller could copy from the chain is answered without a word about the key (rulings 24, 25, 32, 33, 67).
 *
 * A function `ofX` returns the verdict about X. One that may return null does so when it has nothing to say, and the next one decides.
 */
import type { Attempt } from "../store/payments/attempts.ts"
import type { RequestRecord } from "../store/sales/requests.ts"
import { knownSale } from "./known-sale.ts"
import { ofRejected } from "./not-taken.ts"
import {
  acquiredByAnotherPayer,
  givenUp,
  keyReused,
  notVerifiable,
  paymentsOff,
  presentedBefore,
  soldElsewhere,
} from "./sale-refusals.ts"
import {
  type Arrived,
  type Examined,
  type Following,
  GIVEN_UP_THOUGH_USED,
  type Offered,
  type Outcome,
  type Presented,
  type ReservedWork,
  type State,
  type Taking,
  type ToReserve,
  type Unpaid,
  type Verdict,
  type WhyNot,
} from "./state.ts"
import {
  follow,
  ofBought,
  ofKnown,
  ofOtherAuthorization,
  ofReusedKey,
  PENDING_OVER_JOB,
  pending,
  refusal,
  refusedFor,
  sameBody,
} from "./verdicts.ts"

const VERSION_1_NOT_READ =
  "X-Payment of x402 version 1 is not read; send the payment of version 2 in the header PAYMENT-SIGNATURE"

export function nextStep(state: State): Verdict {
  switch (state.phase) {
    case "ARRIVED":
      return ofCall(state)
    case "TAKING":
      return ofPayment(state)
    case "FOLLOWING":
      return ofOutcome(state)
    case "UNPAID":
      return ofUnpaid(state)
    case "NOT_TAKEN":
      return ofRejected(state)
  }
}

/** The order of a call: header, owner of the key, entitlement, then its payment or a quote. */
function ofCall(call: Arrived): Verdict {
  const { product, header, key, soldTo } = call
  if (header.kind === "REFUSED") return refusal(header.error)
  // The signed request proves the owner. A `PAYER` product knows its owner only after the payment is verified.
  if (key.kind === "OTHER_BODY" && product.owner === "SIGNER") return refusal(keyReused())
  if (soldTo !== null && soldTo !== sameBody(key)?.id) return refusal(soldElsewhere())
  if (!call.sells) return refusal(paymentsOff())
  if (header.kind === "READABLE") return ofPaidCall(call, header.payment)
  return ofBought(product, key) ?? ofUnpaidCall(call, header.isVersion1)
}

function ofUnpaidCall({ checked, late, replacement }: Arrived, isVersion1: boolean): Verdict {
  if (checked === undefined) return { do: "CHECK", step: "QUOTE", time: "ARRIVAL" }
  if (checked.refusal) return refusal(checked.refusal)
  if (late !== null && replacement === undefined) return { do: "REPLACE", late }
  if (replacement?.kind === "REFUSED") return refusal(replacement.error)
  if (replacement?.kind === "DELIVERED") return { do: "DELIVER", answer: replacement.answer, replayed: false }
  if (checked.notReady) return refusal(checked.notReady)
  return isVersion1 ? { do: "QUOTE", error: VERSION_1_NOT_READ } : { do: "QUOTE" }
}

/** Only the exact payload that was verified gets its outcome without a new verification. */
function ofPaidCall({ product, key, payload }: Arrived, payment: Taking["payment"]): Verdict {
  if (payload === undefined) {
    return { do: "FIND_PAYLOAD", requestId: key.kind === "FREE" ? null : key.record.id, payment }
  }
  // INVARIANT: an attempt is stored only after its payer's signature verified. So this payload proves who owns the key.
  if (payload !== null && key.kind === "OTHER_BODY") return refusal(keyReused())
  if (payload !== null && payload.state !== "RELEASED") return follow(payload.id)
  // Before the payment is verified: a rejected payment would get a quote.
  if (knownSale(sameBody(key)) === "OVER_JOB") return PENDING_OVER_JOB
  return { do: "EXAMINE", of: { product, payment, released: payload, key } }
}

function ofPayment(s: Taking): Verdict {
  const { examined, presented, payment } = s
  if (examined.fits !== "THIS_BODY") return ofOtherQuote(s, examined)
  const { offered } = examined
  if (presented === undefined) return { do: "FIND_PRESENTED", offered }
  const found = classify(presented, payment.sha256)
  // Anyone can read a known nonce on the chain. So no response says anything about it before its signature has verified.
  switch (found.kind) {
    case "SAME_PAYLOAD":
      return follow(found.known.id)
    case "SAME_PAYLOAD_OF_ANOTHER_REQUEST":
      return notTaken(s, refusedFor(presentedBefore()))
    case "NONCE_OF_ANOTHER_REQUEST":
      return notVerified(s, offered, null) ?? notTaken(s, refusedFor(presentedBefore()))
    case "FAILED_BEFORE":
      return notVerified(s, offered, found.known) ?? unpaid(found.known, found.known.reason)
    case "ACQUIRED_BY_ANOTHER_PAYMENT":
      return notVerified(s, offered, found.known) ?? ofOtherPayment(s, offered, found)
    case "RELEASED_AGAIN":
      return notVerified(s, offered, found.known) ?? notSellable(s) ?? ofReservation(s, offered)
    case "FIRST":
      return notSellable(s) ?? notVerified(s, offered, null) ?? ofReservation(s, offered)
  }
}

type Classified =
  /** This service never saw the authorization, and no other payment claims the request. */
  | { readonly kind: "FIRST" }
  /** The header of an attempt of this request that was not released: its outcome is the response. */
  | { readonly kind: "SAME_PAYLOAD"; readonly known: Attempt }
  /** The header, or the authorization in another header, of an attempt of another request. */
  | { readonly kind: "SAME_PAYLOAD_OF_ANOTHER_REQUEST" | "NONCE_OF_ANOTHER_REQUEST" }
  /** The authorization of a failed attempt of this request, in another header. */
  | { readonly kind: "FAILED_BEFORE"; readonly known: Attempt }
  /** Another payment acquired the request or claims it. `known`: the attempt of the presented authorization, if this request has one. */
  | { readonly kind: "ACQUIRED_BY_ANOTHER_PAYMENT"; readonly current: RequestRecord; readonly known: Attempt | null }
  /** The authorization of an attempt of this request that was released, and no other payment claims the request. */
  | { readonly kind: "RELEASED_AGAIN"; readonly known: Attempt }

/** What a presented payment is to the service, before any node is queried. */
function classify({ known, current }: Presented, payloadSha256: string): Classified {
  const isSamePayload = known?.payloadSha256 === payloadSha256
  if (known && known.requestId !== current?.id) {
    return { kind: isSamePayload ? "SAME_PAYLOAD_OF_ANOTHER_REQUEST" : "NONCE_OF_ANOTHER_REQUEST" }
  }
  if (known && isSamePayload && known.state !== "RELEASED") return { kind: "SAME_PAYLOAD", known }
  if (known?.state === "FAILED") return { kind: "FAILED_BEFORE", known }
  // A released attempt whose authorization is used claims its request, and may be presented again.
  const isOwnClaim = known?.state === "RELEASED" && known.id === current?.purchase?.id
  if (current && knownSale(current) !== "OPEN" && !(isOwnClaim && knownSale(current) === "RUNNING")) {
    return { kind: "ACQUIRED_BY_ANOTHER_PAYMENT", current, known }
  }
  // A live or owed attempt claims its request, so only a released one comes here.
  return known ? { kind: "RELEASED_AGAIN", known } : { kind: "FIRST" }
}

/**
 * What to do until the payment is verified; null when it is. When verification fails and this request has a released attempt of the
 * authorization, its money may have moved until the chain shows it as unused. When its window is the reason, anyone may still submit it in
 * the seconds that are left.
 */
function notVerified(s: Taking, offered: Offered, known: Attempt | null): Verdict | null {
  const { verification } = s
  if (verification === undefined) return { do: "VERIFY", offered }
  if (verification.kind === "VERIFIED") return null
  if (known?.watched === 1) {
    if (verification.kind === "REJECTED" && verification.isOutsideWindow) return pending(known.payer)
    if (s.mayHavePaid === undefined) return { do: "MAY_HAVE_PAID", attempt: known, reason: known.reason ?? "" }
    if (s.mayHavePaid) return pending(known.payer)
  }
  return notTaken(s, verification.kind === "REJECTED" ? verification : refusedFor(notVerifiable()))
}

/** The payment was not quoted for this body. It may be one for the body that holds the key; its payer then hears of the reused key. */
function ofOtherQuote(s: Taking, examined: Exclude<Examined, { fits: "THIS_BODY" }>): Verdict {
  // The quote has expired, but the payment is not proved unpaid. A new quote could make the buyer pay twice.
  if (s.released?.watched === 1) return pending(s.released.payer)
  const rejected = notTaken(s, { kind: "REJECTED", reason: examined.reason })
  if (examined.fits === "NONE" || s.key.kind !== "OTHER_BODY") return rejected
  const { verification, presented, key } = s
  if (verification === undefined) return { do: "VERIFY", offered: examined.offered }
  if (verification.kind === "REJECTED") return rejected
  if (verification.kind === "UNAVAILABLE") return notTaken(s, refusedFor(notVerifiable()))
  if (presented === undefined) return { do: "FIND_PRESENTED", offered: examined.offered }
  if (presented.known || verification.verified.alreadyUsed) return notTaken(s, refusedFor(presentedBefore()))
  return ofReusedKey(key.record, s.execution) ?? notTaken(s, refusedFor(keyReused(s.execution)))
}

function notSellable(s: Taking): Verdict | null {
  if (s.checked === undefined) return { do: "CHECK", step: "PAYMENT", time: "ARRIVAL" }
  const error = s.checked.refusal ?? s.checked.notReady
  if (error === null) return null
  // The released attempt may have been paid, so no response may say that nothing was charged.
  return isUsed(s) ? pending(s.presented?.known?.payer) : notTaken(s, refusedFor(error))
}

function toReserve({ verification, payment }: Taking, offered: Offered): ToReserve {
  if (verification?.kind !== "VERIFIED") throw new Error("a payment is reserved only after it is verified")
  return { payment, ...offered, ...verification.verified }
}

function ofReservation(s: Taking, offered: Offered): Verdict {
  const { reservation, outcome } = s
  const presented = toReserve(s, offered)
  if (reservation === undefined) return { do: "RESERVE", presented }
  switch (reservation.kind) {
    case "refused":
      // The payment may have moved money, and its attempt is stored. So its outcome comes from the chain, a retry may get the answer, and no
      // refusal says that nothing was charged.
      if (isUsed(s) && reservation.wasPresented) return pending(offered.authorization.from)
      return notTaken(s, refusedFor(reservation.error))
    case "overdrawn":
      return notTaken(s, { kind: "REJECTED", reason: reservation.reason })
    case "taken":
      if (reservation.rail === "acp") return PENDING_OVER_JOB
      return reservation.attemptId === null ? pending() : follow(reservation.attemptId)
    case "reserved":
      return outcome ? ofWork(s, reservation.work, outcome) : { do: "SETTLE", work: reservation.work, presented }
  }
}

function ofWork(s: Taking, { attempt }: ReservedWork, outcome: Outcome): Verdict {
  switch (outcome.kind) {
    case "delivered":
      return { do: "DELIVER", answer: outcome.answer, replayed: false }
    case "elsewhere":
      return follow(attempt.id)
    case "pending":
      return pending(attempt.payer, outcome.transaction)
    case "failed":
    case "refused":
      return unpaid(attempt, outcome.reason)
    case "released":
      return notTaken(s, refusedFor(outcome.error))
  }
}

interface OtherPayment {
  readonly current: RequestRecord
  readonly known: Attempt | null
}

/** A chain that has seen the authorization shows it to everyone, so only its original header gets the answer. */
function ofOtherPayment(s: Taking, offered: Offered, { current, known }: OtherPayment): Verdict {
  const { authorization } = offered
  // The very header of a released attempt: the service owes its payer, and the header gets the outcome.
  if (isUsed(s) && known?.watched === 1 && known.payloadSha256 === s.payment.sha256) return pending(known.payer)
  if (isUsed(s) && known === null && knownSale(current) !== "ACQUIRED" && !s.isKept) {
    return { do: "KEEP_USED", requestId: current.id, presented: toReserve(s, offered) }
  }
  const isPublic = isUsed(s) || (known !== null && known.state !== "RELEASED")
  const error = isPublic ? presentedBefore() : acquiredByAnotherPayer()
  const otherwise = ofKnown(current, notTaken(s, refusedFor(error)))
  return isPublic ? otherwise : ofOtherAuthorization(current, authorization.from, s.answer, otherwise)
}

function ofOutcome(s: Following): Verdict {
  const { attempt, answer } = s
  if (attempt === null) return pending()
  switch (attempt.state) {
    case "SETTLED":
      if (answer === undefined) return { do: "FIND_ANSWER", requestId: attempt.requestId, withPayer: false }
      if (answer === null) throw new Error("a settled attempt has no finished answer")
      return { do: "DELIVER", answer, replayed: true }
    case "FAILED":
      return unpaid(attempt, attempt.reason, true)
    case "RELEASED":
      return ofReleased(s, attempt)
    case "PAID_OWED":
      return pending(attempt.payer, attempt.settledTx ?? "")
    case "RESERVED":
    case "VERIFIED":
    case "SETTLING":
      return s.isTimeUp ? pending(attempt.payer) : { do: "WAIT", attemptId: attempt.id }
  }
}

/**
 * While no process worked on the attempt, somebody else may have submitted its authorization. The reason of the release may still apply, so
 * the checks run again: a caller who waited gets the same refusal as the first one. Then the attempt is read again, because an equal call
 * may have reserved it meanwhile.
 */
function ofReleased({ mayHavePaid, checked, refused }: Following, attempt: Attempt): Verdict {
  const { id, payer, reason } = attempt
  if (reason === GIVEN_UP_THOUGH_USED) return pending(payer)
  if (refused !== undefined) return refusal(refused)
  if (mayHavePaid === undefined) return { do: "MAY_HAVE_PAID", attempt, reason: reason ?? "" }
  if (mayHavePaid) return pending(payer)
  if (checked === undefined) return { do: "CHECK", step: "PAYMENT", time: "NOW" }
  return { do: "FOLLOW", attemptId: id, refused: checked.refusal ?? givenUp(reason) }
}

/** A new quote, or the refusal that applies now. Both carry the failed settlement. */
function ofUnpaid({ mayHavePaid, payer, reason, failed, checked }: Unpaid): Verdict {
  if (mayHavePaid) return pending(payer)
  if (checked === undefined) return { do: "CHECK", step: "REQUOTE", time: "ARRIVAL" }
  const error = checked.refusal ?? checked.notReady
  return error ? { do: "REFUSE", error, failed } : { do: "QUOTE", error: reason, failed }
}

const isUsed = ({ verification }: Taking) => verification?.kind === "VERIFIED" && verification.verified.alreadyUsed

function notTaken(s: Taking, why: WhyNot): Verdict {
  const { product, payment } = s
  const isJudged = (s.verification?.kind === "VERIFIED" && !isUsed(s)) || s.mayHavePaid === false
  return { do: "FIND_EQUAL", of: { product, payment, why, isJudged } }
}

const unpaid = (attempt: Attempt, reason: string | null, isFollowed = false): Verdict => ({
  do: "PROVE_UNPAID",
  attempt,
  reason: reason ?? "payment_failed",
  isFollowed,
})
