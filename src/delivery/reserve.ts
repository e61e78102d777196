/**
 * Reserves request, attempt and holds in one unit, all or nothing. The same unit reads the service's own records. Of a payment that it cannot
 * reserve for the moment, and that the chain shows as used, it stores the attempt alone.
 */
import type { Hex } from "viem"
import type { ServiceError } from "../base/errors.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant } from "../core/time.ts"
import { fundsAtBlock } from "../payments/funds.ts"
import { newerBlock } from "../payments/observe.ts"
import { MAX_TIMEOUT_SECONDS } from "../payments/quote.ts"
import { RpcUnavailable } from "../payments/rpc.ts"
import { INSUFFICIENT_BALANCE } from "../payments/verify-payment.ts"
import type { Unit } from "../store/engine/unit.ts"
import { keepUsedAttempt, type NewAttempt, reserveAttempt, reviveAttempt } from "../store/payments/attempt-moves.ts"
import { type Attempt, findAttempt, findAttemptByNonce } from "../store/payments/attempts.ts"
import { settlingAttempts, unpaidAt } from "../store/payments/unsettled-attempts.ts"
import { turnOfPayer } from "../store/payments/unsettled-value.ts"
import { findDelivery } from "../store/sales/deliveries.ts"
import { dropHolds } from "../store/sales/holds.ts"
import { findClaimingPurchase } from "../store/sales/purchases.ts"
import {
  claimRequest,
  findRequest,
  findRequestRecord,
  forgetRequest,
  noteDelegations,
} from "../store/sales/requests.ts"
import type { IfCovered } from "./covered-sale.ts"
import { attemptIdentity, leaseOf, type PayingDeps } from "./deps.ts"
import { asUsed } from "./questions.ts"
import { errorOfRefused, newRequest, type PaidProduct, type Sale, type StoredRequest } from "./sale.ts"
import { keyReused, notVerifiable, spent } from "./sale-refusals.ts"
import { GIVEN_UP_THOUGH_USED, type Reservation, type Taking, type ToReserve } from "./state.ts"

/** One try to reserve. The ids are those of a request and an attempt that it may create. */
interface Try {
  readonly deps: PayingDeps
  readonly sale: Sale
  readonly presented: ToReserve
  readonly newRequestId: string
  readonly newAttemptId: string
  readonly now: number
  /** Ids of the payer's attempts that the block of `presented.balance` shows as taken; none while that is the balance of the verification. */
  readonly taken: readonly string[]
}

/** `verification`: in place of the earlier one, because somebody brought the authorization to the chain since. Then it is reserved anew. */
type Tried = Required<Pick<Taking, "reservation">> | Required<Pick<Taking, "verification">>

export async function reserve(deps: PayingDeps, sale: Sale, presented: ToReserve): Promise<Tried> {
  const now = deps.machine.now()
  const newRequestId = formatId("drq", deps.machine.random(ID_RANDOM_BYTES))
  const one: Try = { deps, sale, presented, newRequestId, newAttemptId: newAttemptId(deps), now, taken: [] }
  const reservation = await tryToReserve(one)
  return reservation.kind === "overdrawn" ? reserveAtBlock(one) : { reservation }
}

function newAttemptId({ machine }: PayingDeps): string {
  return formatId("att", machine.random(ID_RANDOM_BYTES))
}

function tryToReserve(one: Try): Promise<Reservation> {
  return one.deps.store.runInPlace(() => reserveUnit(one), turnOfPayer(one.presented.authorization.from))
}

/**
 * The verification may have read the balance after a transfer of an attempt that is not concluded yet, so that both count against the payer. One
 * block tells which attempts have taken their money. The payer is short only if this block says so.
 */
async function reserveAtBlock(one: Try): Promise<Tried> {
  const { deps, presented } = one
  const { chain } = deps.payments
  const { authorization } = presented
  const open = await deps.store.read(() => settlingAttempts(attemptIdentity(deps, authorization)))
  try {
    const nonces = open.map(({ nonce }) => nonce as Hex)
    const funds = await fundsAtBlock(chain, authorization.from, [authorization.nonce, ...nonces])
    if (funds.used.has(authorization.nonce)) return { verification: asUsed(presented, funds.balance.block) }
    const taken = open.filter(({ nonce }) => funds.used.has(nonce as Hex)).map(({ id }) => id)
    const { balance } = funds
    return { reservation: await tryToReserve({ ...one, presented: { ...presented, balance }, taken }) }
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    // The authorization was unused at its verification, so an earlier attempt of it changes nothing.
    return { reservation: { kind: "refused", error: notVerifiable(), wasPresented: false } }
  }
}

function* reserveUnit(one: Try): Unit<Reservation> {
  const { sale, newRequestId, now } = one
  const created = newRequest(sale, newRequestId, formatInstant(now))
  const requestId = yield* claimRequest(created)
  if (requestId === null) return { kind: "refused", error: yield* reusedRefusal(one), wasPresented: false }
  const known = yield* findAttemptByNonce(attemptIdentity(one.deps, one.presented.authorization))
  const isNew = requestId === newRequestId
  const reservation = isNew ? yield* reserveClaimed(one, created, known) : yield* reserveKnown(one, requestId, known)
  const { usedBlock } = one.presented
  if (usedBlock !== null && known === null && mayPass(reservation)) {
    yield* keepUsedAttempt({ ...newAttempt(one, requestId), usedBlock }, GIVEN_UP_THOUGH_USED)
    return reservation.kind === "refused" ? { ...reservation, wasPresented: true } : reservation
  }
  if (isNew && reservation.kind !== "reserved") yield* forgetRequest(newRequestId)
  return reservation
}

/** Whether the payment may be reserved later. Until then its payer hears 202. */
function mayPass(reservation: Reservation): boolean {
  if (reservation.kind === "refused") return reservation.error.refusal.retryable === true
  return reservation.kind === "taken"
}

/**
 * Stores a payment that the chain shows as used, and that is presented while another purchase has its request. Its payer hears 202, and gets the
 * answer, or the money back, whatever becomes of the other purchase. An attempt of its authorization that is stored already remains.
 */
export async function keepUsed(deps: PayingDeps, requestId: string, presented: ToReserve): Promise<void> {
  const kept = { deps, presented, newAttemptId: newAttemptId(deps), now: deps.machine.now() }
  const { authorization, usedBlock } = presented
  if (usedBlock === null) throw new TypeError("the chain does not show the payment as used")
  await deps.store.runInPlace(function* (): Unit<void> {
    if (yield* findAttemptByNonce(attemptIdentity(deps, authorization))) return
    yield* keepUsedAttempt({ ...newAttempt(kept, requestId), usedBlock }, GIVEN_UP_THOUGH_USED)
  }, turnOfPayer(authorization.from))
}

/** A request that was claimed before may have a purchase, or be delivered as the replacement of a late decision. */
function* reserveKnown(one: Try, requestId: string, known: Attempt | null): Unit<Reservation> {
  // A released attempt whose authorization is used keeps every payment from its request except its own.
  const claiming = yield* findClaimingPurchase(requestId, known?.state === "RELEASED" ? known.id : undefined)
  if (claiming) {
    const { id, rail } = claiming
    const other = rail === "x402" ? yield* findAttempt(id) : null
    return { kind: "taken", rail, attemptId: other?.payloadSha256 === one.presented.payment.sha256 ? id : null }
  }
  const request = yield* findRequest(requestId)
  if (!request) throw new Error("a claimed request is missing")
  if (request.state === "DELIVERED") return { kind: "taken", rail: "x402", attemptId: null }
  return yield* reserveClaimed(one, request, known)
}

/** INVARIANT: the payment's signature has verified, so its payer owns the key. */
function* reusedRefusal({ deps, sale, presented }: Try): Unit<ServiceError> {
  const { product, scope, key } = sale
  const { authorization, alreadyUsed } = presented
  const isNew = !alreadyUsed && (yield* findAttemptByNonce(attemptIdentity(deps, authorization))) === null
  const record = isNew && product.owner === "PAYER" ? yield* findRequestRecord(product.id, scope, key) : null
  const delivery = record?.state === "DELIVERED" ? yield* findDelivery(record.id) : null
  return keyReused(delivery?.answerId)
}

/**
 * The request has no purchase of another payment that claims it, and is not delivered. A replacement that is being computed for it gives way.
 * `known`: the attempt of the presented authorization.
 */
function* reserveClaimed(one: Try, request: StoredRequest, known: Attempt | null): Unit<Reservation> {
  const { deps, sale, presented, now } = one
  const { product } = sale
  const requestId = request.id
  const identity = attemptIdentity(deps, presented.authorization)
  const wasPresented = known?.requestId === requestId
  if (known && (!wasPresented || known.state !== "RELEASED")) return { kind: "refused", error: spent(), wasPresented }
  if (presented.balance !== null) {
    // Without this, one balance could buy many parallel settlements, and all but one would revert at the service's expense.
    const { amount, block } = presented.balance
    const needed = (yield* unpaidAt(identity, block, one.taken)) + presented.authorization.value
    if (amount < needed) return { kind: "overdrawn", reason: INSUFFICIENT_BALANCE }
  }

  const reserved = yield* product.reserve(request, now, ifCovered(product, presented, known))
  if ("refused" in reserved) {
    // The product may have taken holds before it refused.
    yield* dropHolds(requestId)
    return { kind: "refused", error: errorOfRefused(reserved), wasPresented }
  }
  yield* noteDelegations(requestId, reserved.delegationsUsed)
  const attempt = yield* takeAttempt(one, requestId, known)
  if (!attempt) {
    yield* dropHolds(requestId)
    return { kind: "refused", error: spent(), wasPresented }
  }
  return { kind: "reserved", work: { request, attempt, records: reserved.records } }
}

/** A `PAYER` product names the authorization only to its payer. Only an authorization that was never presented proves the payer. */
function ifCovered({ owner }: PaidProduct, { alreadyUsed }: ToReserve, known: Attempt | null): IfCovered {
  if (alreadyUsed) return "DECIDE"
  return owner === "PAYER" && known !== null ? "REFUSE" : "NAME"
}

/** A new attempt, or one revived by the same payload. Null when this authorization cannot be used again. */
function* takeAttempt(one: Try, requestId: string, known: Attempt | null): Unit<Attempt | null> {
  const { deps, presented, now } = one
  const lease = leaseOf(deps)
  if (known === null) return yield* reserveAttempt(newAttempt(one, requestId), lease)
  // From now on the lease is that of a new worker.
  deps.strayLeases.delete(known.id)
  const usedBlock = newerBlock(known.usedBlock, presented.usedBlock)
  return yield* reviveAttempt(known.id, { ...presented.payment, usedBlock }, lease, formatInstant(now))
}

type AttemptOf = Pick<Try, "deps" | "presented" | "newAttemptId" | "now">

function newAttempt({ deps, presented, newAttemptId: id, now }: AttemptOf, requestId: string): NewAttempt {
  const { payment, authorization, quoteId, payerHasCode, payerCodeHash, alreadyUsed, usedBlock } = presented
  return {
    id,
    requestId,
    ...attemptIdentity(deps, authorization),
    payTo: authorization.to,
    value: String(authorization.value),
    validAfter: authorization.validAfter,
    validBefore: authorization.validBefore,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
    quoteId,
    payloadJson: payment.json,
    payloadSha256: payment.sha256,
    payerHasCode: payerHasCode ? 1 : 0,
    payerCodeHash,
    alreadyUsed: alreadyUsed ? 1 : 0,
    usedBlock,
    settler: deps.payments.settler.kind,
    createdAt: formatInstant(now),
  }
}
