/**
 * Finishes what requests left open: attempts whose worker is gone, payments of unknown outcome, late transfers. Runs at start and then in a
 * loop. Several processes may run it, because each attempt is leased.
 */

import { concurrently } from "../base/concurrently.ts"
import { ServiceError } from "../base/errors.ts"
import { bugFields } from "../base/log.ts"
import { formatInstant, instant, MINUTE, SECOND } from "../core/time.ts"
import { maintainFormerRelayers } from "../payments/former-relayers.ts"
import { maintainRelayer } from "../payments/maintain-relayer.ts"
import { isSeenUsed, type Observation, observePayment, usedBlockAfter } from "../payments/observe.ts"
import { pursue, transferOf, watchedPayment } from "../payments/pursue.ts"
import { settleAgain } from "../payments/settle.ts"
import { StoreUnavailable } from "../store/engine/store-error.ts"
import type { Unit } from "../store/engine/unit.ts"
import { dropLease, TAKEN_AT_ONCE, takeAbandoned } from "../store/payments/attempt-leases.ts"
import {
  concludeSettlement,
  noteReinclusion,
  noteUnused,
  noteUsed,
  owePaidAttempt,
  POLLS_AT_ONCE,
  type PollTimes,
  stopWatching,
  takeDuePolls,
} from "../store/payments/attempt-watch.ts"
import { type Attempt, findAttempt } from "../store/payments/attempts.ts"
import { type ComputedDelivery, findDelivery, keepComputed } from "../store/sales/deliveries.ts"
import { dropHolds, dropStrayHolds } from "../store/sales/holds.ts"
import { findLivePurchase } from "../store/sales/purchases.ts"
import { countAgainst, findRequest } from "../store/sales/requests.ts"
import { takeAfterStray, turn } from "../store/stray-leases.ts"
import { concludePaid, concludeUnpaid } from "./conclude.ts"
import { leaseOf, type PayingDeps } from "./deps.ts"
import type { PaidProduct, Refused, Reserved, StoredRequest } from "./sale.ts"
import { noteContradiction, pollOnce } from "./work.ts"

/** A request that has holds but no purchase for this many leases has lost its process. */
const ABANDONED_LEASES = 4

/** Concurrent polls of one process. A poll is three to five node queries, in two or three turns. */
const POLLS_CONCURRENTLY = 8
/** After this long a round takes no further attempts. The next round continues with those that have waited longest. */
const RESUME_ROUND_MS = 5 * SECOND
const WATCH_ROUND_MS = 10 * SECOND
/** An ended attempt is polled in every round while its last change is younger than this; after that the interval grows. */
const YOUNG_MS = MINUTE
const POLL_AGAIN_MS_MAX = MINUTE

/** Alarm: a payment waits for a nonce that only the relayer's former key can fill. */
const FORMER_RELAYER_GAP = "former_relayer_gap"

/** Resumes attempts that no worker holds. A buyer may be waiting for them. */
export async function resumeAbandoned(deps: PayingDeps): Promise<void> {
  const { store, machine, owner, strayLeases } = deps
  const isTimeLeft = until(deps, RESUME_ROUND_MS)
  const seen = new Set<string>()
  for (;;) {
    const abandoned = await takeAfterStray(store, strayLeases, {
      drop: (id) => dropLease(id, owner),
      take: () => takeAbandoned(leaseOf(deps), formatInstant(machine.now())),
    })
    await concurrently(abandoned, POLLS_CONCURRENTLY, (attempt) =>
      turn(strayLeases, attempt.id, () => guarded(deps, attempt, () => resume(deps, attempt))),
    )
    // A dropped attempt goes to the end of the queue. When it comes again, all others have had a turn.
    const wentRound = abandoned.some(({ id }) => seen.has(id))
    if (abandoned.length < TAKEN_AT_ONCE || wentRound || !isTimeLeft()) break
    for (const { id } of abandoned) seen.add(id)
  }
}

/**
 * Gets the open nonces of the relayer, and of former ones, mined. Not a part of {@link resumeAbandoned}: it queries a node for one nonce
 * after another, and no outcome that the chain shows waits for that.
 */
export async function maintainRelayers(deps: PayingDeps): Promise<void> {
  const { settler } = deps.payments
  if (settler.kind === "self") await maintainRelayer(deps, settler)
  for (const attemptId of await maintainFormerRelayers(deps)) deps.alarms.raise(FORMER_RELAYER_GAP, attemptId)
}

/** Drops stray holds and polls the chain about attempts that have ended. No buyer waits for this. */
export async function watchOutcomes(deps: PayingDeps): Promise<void> {
  const now = deps.machine.now()
  await deps.store.run(() => dropStrayHolds(formatInstant(now - ABANDONED_LEASES * deps.leaseMs)))
  const isTimeLeft = until(deps, WATCH_ROUND_MS)
  const times: PollTimes = {
    now: formatInstant(now),
    latest: formatInstant(now + POLL_AGAIN_MS_MAX),
    nextPollAt: (attempt) => nextPoll(attempt, now),
  }
  while (isTimeLeft()) {
    const due = await deps.store.run(() => takeDuePolls(times))
    const poll = (attempt: Attempt) =>
      guarded(deps, attempt, () => (attempt.watched === 1 ? watch(deps, attempt) : confirm(deps, attempt)))
    await concurrently(due, POLLS_CONCURRENTLY, poll, isTimeLeft)
    if (due.length < POLLS_AT_ONCE) return
  }
}

function until({ machine }: PayingDeps, ms: number): () => boolean {
  const end = machine.monotonic() + ms
  return () => machine.monotonic() < end
}

/**
 * When to poll again about an attempt, as RFC 3339. A transfer by a third party, or a safe block, appears soon after the attempt ended or only
 * after minutes. So each poll comes after a sixth of the attempt's age, one minute at most.
 */
function nextPoll({ updatedAt }: Attempt, now: number): string {
  const age = now - instant(updatedAt)
  const wait = age < YOUNG_MS ? 1 : Math.min(POLL_AGAIN_MS_MAX, age / 6)
  return formatInstant(now + Math.ceil(wait))
}

async function guarded(deps: PayingDeps, attempt: Attempt, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    deps.log.error("reconcile_failed", { attempt_id: attempt.id, state: attempt.state, ...bugFields(error) })
  }
}

/** Resumes an attempt that has no worker. Before SETTLING nothing was sent, so it is released; after that only the chain decides. */
async function resume(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const product = await productOf(deps, attempt)
  switch (attempt.state) {
    case "RESERVED":
    case "VERIFIED": {
      // Somebody may have used it since it was reserved. What a node that is away or behind does not show was seen before.
      const seen = await observePayment(deps.payments.chain, watchedPayment(attempt))
      const usedBlock = usedBlockAfter(attempt.usedBlock, seen)
      const end = { from: attempt.state, to: "RELEASED", reason: "worker_gone", watched: true, usedBlock } as const
      const released = await concludeUnpaid(deps, attempt, end)
      if (released) deps.log.info("attempt_released", { attempt_id: attempt.id })
      return
    }
    case "SETTLING": {
      const outcome = await pollOnce(deps, product, attempt)
      if (outcome.kind !== "pending") {
        deps.log.info("attempt_concluded", { attempt_id: attempt.id, outcome: outcome.kind })
        return
      }
      if (outcome.authorization === "UNUSED") await settleAgain(deps, attempt, outcome.sendable === true)
      await deps.store.run(() => dropLease(attempt.id, deps.owner))
      return
    }
    case "PAID_OWED":
      await deliverOwed(deps, product, attempt)
      return
    default:
      return
  }
}

async function productOf(deps: PayingDeps, attempt: Attempt): Promise<PaidProduct> {
  const request = await deps.store.read(() => findRequest(attempt.requestId))
  const product = request ? deps.products.get(request.product) : undefined
  if (!product) throw new Error("an attempt names a product this binary does not know")
  return product
}

/** The attempt was released but paid. Decide now and deliver without another payment (rulings 33). */
async function deliverOwed(deps: PayingDeps, product: PaidProduct, attempt: Attempt): Promise<void> {
  const { settledTx, settledLogIndex, settledBlock, settledBlockHash } = attempt
  if (settledTx === null || settledLogIndex === null) return
  const now = deps.machine.now()
  const taken = await deps.store.run(() => takeOwed(deps, product, attempt, now))
  // Keep the lease until it expires; otherwise the next sweep (limit 64) picks the same attempts and starves the rest.
  if (taken === null) return
  const notDecidable = ({ refused }: Refused) =>
    deps.log.warn("paid_owed_not_decidable", { attempt_id: attempt.id, code: refused })
  if ("refused" in taken) return notDecidable(taken)
  const { request, reserved } = taken
  try {
    if (reserved) {
      const { snapshotIds, ...computed } = await product.compute(request, reserved.records, now)
      const decision = { ...computed, requestId: request.id, purchaseId: attempt.id }
      // Another owed payment of the request may have stored its own meanwhile.
      if (!(await deps.store.run(() => keepComputed(decision, snapshotIds)))) return
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    deps.log.warn("paid_owed_waits", { attempt_id: attempt.id, code: error.code })
    return
  }
  const transfer = {
    tx: settledTx,
    logIndex: settledLogIndex,
    block: settledBlock ?? "",
    blockHash: settledBlockHash ?? "",
    finality: "SAFE",
  } as const
  const concluded = await concludePaid(deps, product, attempt, {
    from: "PAID_OWED",
    transfer,
    stillAllowed: (stored, computed) => overLimit(deps, product, stored, computed),
  })
  if (concluded && "refused" in concluded) notDecidable(concluded)
}

function isOwed(attempt: Attempt | null, owner: string): boolean {
  return attempt?.state === "PAID_OWED" && attempt.leaseOwner === owner
}

/**
 * An owed attempt counts against its delegation only when it is delivered. Another decision may have used the rest of the limit since this one
 * was computed. No other change since then undoes a computed decision.
 */
function* overLimit(
  { owner }: PayingDeps,
  product: PaidProduct,
  request: StoredRequest,
  { purchaseId, computedAt }: ComputedDelivery,
): Unit<Refused | null> {
  // Another process may have taken it over: then its computed decision is not this one's to drop.
  if (!isOwed(yield* findAttempt(purchaseId), owner)) return null
  const reserved = yield* product.reserve(request, instant(computedAt), "DECIDE")
  if (!("refused" in reserved)) yield* countAgainst(request.id, reserved.delegationsUsed)
  else if (reserved.refused === "DELEGATION_EXCEEDED") return reserved
  return null
}

/**
 * Reserves an owed decision again, in place of the holds of an earlier try. Returns null when this process may not deliver it, or the request has
 * an answer of another payment. `reserved` is null when the decision is already computed; it keeps its holds and is not judged again.
 */
function* takeOwed(
  { owner }: PayingDeps,
  product: PaidProduct,
  { id, requestId }: Attempt,
  now: number,
): Unit<{ readonly request: StoredRequest; readonly reserved: Reserved | null } | Refused | null> {
  const request = yield* findRequest(requestId)
  const attempt = yield* findAttempt(id)
  if (!request || !isOwed(attempt, owner) || (yield* findLivePurchase(requestId))) return null
  const stored = yield* findDelivery(requestId)
  if (stored) return stored.purchaseId === id && stored.body === null ? { request, reserved: null } : null
  yield* dropHolds(requestId)
  // The buyer has paid and gets an answer, even if another purchase covers the obligation.
  const reserved = yield* product.reserve(request, now, "DECIDE")
  return "refused" in reserved ? reserved : { request, reserved }
}

/** Checks whether an attempt that ended unpaid was paid later. Stops when the time of a safe block is past `validBefore`. */
async function watch(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const { store, payments, machine } = deps
  const seen = await observePayment(payments.chain, watchedPayment(attempt))
  noteContradiction(deps, attempt, seen)
  if (seen.kind === "failed" && seen.expired) return void (await store.run(() => stopWatching(attempt.id)))
  if (seen.kind !== "settled" || seen.finality === "included") return followUse(deps, attempt, seen)
  const { tx, logIndex, block, blockHash } = transferOf(seen)
  const at = formatInstant(machine.now())
  const owed = await store.run(() => owePaidAttempt(attempt, { tx, logIndex, block, blockHash }, at))
  if (owed) deps.log.warn("paid_owed", { attempt_id: attempt.id })
}

/** While the chain shows the authorization as used, no other payment is taken for the request. */
async function followUse({ store }: PayingDeps, { id, usedBlock }: Attempt, seen: Observation): Promise<void> {
  if (seen.kind === "unavailable") return
  const head = Number(seen.head)
  if (isSeenUsed(seen)) await store.run(() => noteUsed(id, head))
  else if (usedBlock !== null) await store.run(() => noteUnused(id, head))
}

/** Follows a settled attempt to a safe block. After a reorganization the relayer loop sends the stored bytes again. */
async function confirm(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const { store, machine } = deps
  const seen = await pursue(deps, attempt)
  noteContradiction(deps, attempt, seen)
  const at = formatInstant(machine.now())
  if (seen.kind === "settled") {
    const { transfer } = seen
    const moved = transfer.blockHash !== attempt.settledBlockHash
    await store.run(
      function* (): Unit<void> {
        if (moved) yield* noteReinclusion(attempt, transfer, at)
        const now = { id: attempt.id, settledBlockHash: transfer.blockHash }
        if (transfer.finality === "SAFE") yield* concludeSettlement(now, "SAFE", at)
      },
      moved ? "log" : undefined,
    )
  } else if (seen.kind === "failed") {
    const lost = await store.run(() => concludeSettlement(attempt, "UNPAID_AFTER_REORG", at))
    if (lost) deps.log.error("unpaid_after_reorg", { attempt_id: attempt.id })
  }
}
