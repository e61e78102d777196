/**
 * Finishes what requests left open: attempts whose worker is gone, payments whose outcome was unknown, transfers that came late.
 * Runs at start and then in a loop; several processes may run it, because each attempt is taken by its lease.
 */
import { formatInstant, SECOND } from "../core/time.ts"
import { ServiceError } from "../errors.ts"
import { bugFields } from "../log.ts"
import { handOver } from "../payments/hand-over.ts"
import { observePayment } from "../payments/observe.ts"
import { pursue, transferOf, watchedPayment } from "../payments/pursue.ts"
import { tendRelayer } from "../payments/tend-relayer.ts"
import { dropLease, takeAbandoned } from "../store/attempt-leases.ts"
import {
  concludeSettlement,
  noteReinclusion,
  owePaidAttempt,
  stopWatching,
  unsafeSettlements,
  watchedAttempts,
} from "../store/attempt-watch.ts"
import { type Attempt, findAttempt, findLiveAttempt } from "../store/attempts.ts"
import { findDelivery, keepComputed } from "../store/deliveries.ts"
import { dropHolds, dropStrayHolds } from "../store/holds.ts"
import { purgeNonces } from "../store/nonces.ts"
import { findRequest } from "../store/requests.ts"
import { StoreUnavailable } from "../store/store-error.ts"
import type { Unit } from "../store/unit.ts"
import { concludePaid, concludeUnpaid } from "./conclude.ts"
import { leaseOf, type PayingDeps } from "./deps.ts"
import type { PaidProduct, Refused, Reserved, StoredRequest } from "./sale.ts"
import { lookOnce } from "./work.ts"

/** A request that holds something and has had no attempt for this many leases has lost its process. */
const ABANDONED_LEASES = 4

/** Attempts and nonces nobody works on: what a buyer may be waiting for. */
export async function resumeAbandoned(deps: PayingDeps): Promise<void> {
  const now = formatInstant(deps.machine.now())
  const abandoned = await deps.store.run(() => takeAbandoned(leaseOf(deps), now))
  for (const attempt of abandoned) await guarded(deps, attempt, () => resume(deps, attempt))
  const { settler } = deps.payments
  if (settler.kind === "self") await tendRelayer({ ...deps, payments: deps.payments }, settler.relayer)
}

/** What the chain may still say about attempts that ended, and what time has made obsolete. Nobody waits for it. */
export async function watchOutcomes(deps: PayingDeps): Promise<void> {
  for (const attempt of await deps.store.read(watchedAttempts)) {
    await guarded(deps, attempt, () => watch(deps, attempt))
  }
  for (const attempt of await deps.store.read(unsafeSettlements)) {
    await guarded(deps, attempt, () => confirm(deps, attempt))
  }
  const now = deps.machine.now()
  await deps.store.run(function* (): Unit<void> {
    yield* purgeNonces(formatInstant(now))
    yield* dropStrayHolds(formatInstant(now - ABANDONED_LEASES * deps.leaseMs))
  })
}

async function guarded(deps: PayingDeps, attempt: Attempt, step: () => Promise<void>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    deps.log.error("reconcile_failed", { attempt_id: attempt.id, state: attempt.state, ...bugFields(error) })
  }
}

/** An attempt nobody works on any more. Before SETTLING nothing was sent, so it is given up; after it only the chain decides. */
async function resume(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const product = await productOf(deps, attempt)
  switch (attempt.state) {
    case "RESERVED":
    case "VERIFIED": {
      const released = await concludeUnpaid(deps, attempt, attempt.state, "RELEASED", "worker_gone", true)
      if (released) deps.log.info("attempt_released", { attempt_id: attempt.id })
      return
    }
    case "SETTLING": {
      const outcome = await lookOnce(deps, product, attempt, true)
      if (outcome.kind !== "pending") {
        deps.log.info("attempt_concluded", { attempt_id: attempt.id, outcome: outcome.kind })
        return
      }
      const { settler } = deps.payments
      const isValid = attempt.validBefore * SECOND > deps.machine.now()
      if (attempt.settler === "http" && settler.kind === "http" && isValid)
        await handOver(settler, attempt, deps.machine.now)
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

/** We gave the attempt up and were paid all the same: decide now and deliver without another payment (rulings 33). */
async function deliverOwed(deps: PayingDeps, product: PaidProduct, attempt: Attempt): Promise<void> {
  const { settledTx, settledLogIndex, settledBlock, settledBlockHash } = attempt
  if (settledTx === null || settledLogIndex === null) return
  const now = deps.machine.now()
  const taken = await deps.store.run(() => takeOwed(deps, product, attempt, now))
  // Kept by its lease until that ends: given back at once, sixty-four of these would keep every other attempt waiting.
  if (taken === null) return
  if ("refused" in taken) {
    deps.log.warn("paid_owed_not_decidable", { attempt_id: attempt.id, code: taken.refused })
    return
  }
  const { request, reserved } = taken
  try {
    if (reserved) {
      const { snapshotIds, ...computed } = await product.compute(request, reserved.records, now)
      await deps.store.run(() =>
        keepComputed({ ...computed, requestId: request.id, attemptId: attempt.id }, snapshotIds),
      )
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    deps.log.warn("paid_owed_waits", { attempt_id: attempt.id, code: error.code })
    return
  }
  await concludePaid(deps, product, attempt, "PAID_OWED", {
    tx: settledTx,
    logIndex: settledLogIndex,
    block: settledBlock ?? "",
    blockHash: settledBlockHash ?? "",
    finality: "SAFE",
  })
}

/**
 * What is owed is reserved anew, in place of what an earlier try held; null where it is no longer this process's to deliver. What was
 * decided already (`reserved` null) keeps its holds and is judged no more.
 */
function* takeOwed(
  { owner }: PayingDeps,
  product: PaidProduct,
  { id, requestId }: Attempt,
  now: number,
): Unit<{ readonly request: StoredRequest; readonly reserved: Reserved | null } | Refused | null> {
  const request = yield* findRequest(requestId)
  const attempt = yield* findAttempt(id)
  const isOurs = attempt?.state === "PAID_OWED" && attempt.leaseOwner === owner
  if (!request || !isOurs || (yield* findLiveAttempt(requestId))) return null
  if (yield* findDelivery(requestId)) return { request, reserved: null }
  yield* dropHolds(requestId)
  const reserved = yield* product.reserve(request, now)
  return "refused" in reserved ? reserved : { request, reserved }
}

/** Looks whether an attempt that ended unpaid was paid after all, until a safe block proves that it never can be. */
async function watch(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const { store, payments, machine } = deps
  const seen = await observePayment(payments.chain, watchedPayment(attempt))
  if (seen.kind === "failed") await store.run(() => stopWatching(attempt.id))
  if (seen.kind !== "settled" || seen.finality === "included") return
  const { tx, logIndex, block, blockHash } = transferOf(seen)
  const at = formatInstant(machine.now())
  const owed = await store.run(() => owePaidAttempt(attempt, { tx, logIndex, block, blockHash }, at))
  if (owed) deps.log.warn("paid_owed", { attempt_id: attempt.id })
}

/** Follows a settled attempt to a safe block. After a reorganization the stored bytes are sent again until the chain has spoken. */
async function confirm(deps: PayingDeps, attempt: Attempt): Promise<void> {
  const { store, machine } = deps
  const seen = await pursue(deps, attempt, true)
  const at = formatInstant(machine.now())
  if (seen.kind === "settled") {
    const { transfer } = seen
    const moved = transfer.blockHash !== attempt.settledBlockHash
    await store.run(function* (): Unit<void> {
      if (moved) yield* noteReinclusion(attempt.id, transfer, at)
      if (transfer.finality === "SAFE") yield* concludeSettlement(attempt.id, "SAFE", at)
    })
  } else if (seen.kind === "failed") {
    await store.run(() => concludeSettlement(attempt.id, "UNPAID_AFTER_REORG", at))
    deps.log.error("unpaid_after_reorg", { attempt_id: attempt.id })
  }
}
