/**
 * Takes one leased attempt from RESERVED to its end: compute, store, settle, wait for the chain. The decision is stored before settlement
 * and revealed after it. Only the chain says whether the buyer was charged, never an exception or a time-out.
 */

import { ServiceError } from "../base/errors.ts"
import { bugFields } from "../base/log.ts"
import { every } from "../base/machine.ts"
import { formatInstant } from "../core/time.ts"
import type { Authorization } from "../payments/authorization.ts"
import { TOO_CLOSE_TO_EXPIRY } from "../payments/clocks.ts"
import type { Observation } from "../payments/observe.ts"
import { type Pursued, pursue } from "../payments/pursue.ts"
import { askTheChain, type Sent, sendSettlement, settleAgain } from "../payments/settle.ts"
import { StoreClosed, StoreUnavailable } from "../store/engine/store-error.ts"
import type { Unit } from "../store/engine/unit.ts"
import { dropLease, renewLease } from "../store/payments/attempt-leases.ts"
import { moveAttempt } from "../store/payments/attempt-moves.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import { keepComputed } from "../store/sales/deliveries.ts"
import { moveRequest } from "../store/sales/requests.ts"
import { concludePaid, concludeUnpaid, type Decided } from "./conclude.ts"
import { leaseOf, type PayingDeps } from "./deps.ts"
import type { Computed, PaidProduct } from "./sale.ts"
import { GIVEN_UP_THOUGH_USED, type Outcome, type ReservedWork } from "./state.ts"

interface Work extends ReservedWork {
  readonly product: PaidProduct
  readonly authorization: Authorization
  /** The chain already shows the nonce as used: compute and poll, never send (rulings 32). */
  readonly alreadyUsed: boolean
}

const POLL_EVERY_MS = 150
/**
 * Alarm: a node reports an authorization as used but returns no log of it. The attempt has no outcome until it does. A node may show the
 * state of a block before its logs, so the alarm waits for a second block.
 */
const USED_WITHOUT_LOG = "authorization_used_without_log"

/** A poll that the node did not answer says nothing and changes nothing. */
export function noteContradiction({ alarms }: PayingDeps, { id }: Attempt, seen: Observation | Pursued): void {
  if (seen.kind === "unavailable" || (seen.kind === "pending" && seen.authorization === null)) return
  const isOdd = seen.kind === "pending" && seen.authorization === "USED_WITHOUT_LOG"
  alarms.raiseAtSecondBlock(USED_WITHOUT_LOG, id, isOdd ? (seen.head ?? null) : null)
}

export async function carryOut(deps: PayingDeps, work: Work): Promise<Outcome> {
  const stopRenewing = every(deps.machine, Math.max(50, deps.leaseMs / 3), () => {
    // Ignore a failed renewal: the next conditional update then changes no row.
    deps.store.run(() => renewLease(work.attempt.id, leaseOf(deps))).catch(() => undefined)
  })
  try {
    return await carryOutLeased(deps, work)
  } catch (error) {
    deps.strayLeases.add(work.attempt.id)
    throw error
  } finally {
    stopRenewing()
  }
}

async function carryOutLeased(deps: PayingDeps, work: Work): Promise<Outcome> {
  const { attempt, product, request, records, alreadyUsed: isUsed } = work
  const { usedBlock } = attempt
  let computed: Computed
  try {
    computed = await product.compute(request, records, deps.machine.now())
  } catch (error) {
    if (!(error instanceof ServiceError)) {
      const bug = { from: "RESERVED", to: "RELEASED", reason: "internal", watched: true, usedBlock } as const
      await concludeUnpaid(deps, attempt, bug)
      throw error
    }
    const reason = isUsed ? GIVEN_UP_THOUGH_USED : error.code
    const end = { from: "RESERVED", to: "RELEASED", reason, watched: true, usedBlock } as const
    const released = await concludeUnpaid(deps, attempt, end)
    if (!released) return { kind: "elsewhere" }
    return isUsed ? { kind: "pending", transaction: "" } : { kind: "released", error }
  }
  const kept = await keep(deps, work, computed)
  if (!kept) return { kind: "elsewhere" }
  await deps.trace?.("computed")
  const sent = isUsed
    ? await askTheChain(deps, attempt, "authorization already used on the chain")
    : await sendSettlement(deps, attempt, work.authorization)
  return sent.kind === "settling" ? awaitChain(deps, product, attempt, kept) : notSent(deps, attempt, sent)
}

/** Null when another process holds the attempt. */
async function keep(
  deps: PayingDeps,
  { attempt, request }: Work,
  { snapshotIds, ...answer }: Computed,
): Promise<Decided | null> {
  const at = formatInstant(deps.machine.now())
  const computed = { ...answer, requestId: request.id, purchaseId: attempt.id }
  const move = { from: "RESERVED", to: "VERIFIED", at, detail: computed.answerId } as const
  return deps.store.run(function* (): Unit<Decided | null> {
    if (!(yield* moveAttempt(attempt.id, deps.owner, move))) return null
    if (!(yield* keepComputed(computed, snapshotIds))) throw new Error("the attempt of a computed decision is gone")
    yield* moveRequest(request.id, "COMPUTED", at)
    return { request, computed }
  })
}

async function notSent(
  deps: PayingDeps,
  attempt: Attempt,
  sent: Exclude<Sent, { kind: "settling" }>,
): Promise<Outcome> {
  if (sent.kind === "lost") return { kind: "elsewhere" }
  const { usedBlock } = attempt
  if (sent.kind === "refused") {
    const end = { from: "VERIFIED", to: "FAILED", reason: sent.reason, watched: true, usedBlock } as const
    const ended = await concludeUnpaid(deps, attempt, end)
    return ended ? { kind: "refused", reason: sent.reason } : { kind: "elsewhere" }
  }
  const end = { from: "VERIFIED", to: "RELEASED", reason: sent.code, watched: true, usedBlock } as const
  const ended = await concludeUnpaid(deps, attempt, end)
  if (!ended) return { kind: "elsewhere" }
  if (sent.code === "AUTHORIZATION_TOO_OLD") return { kind: "refused", reason: TOO_CLOSE_TO_EXPIRY }
  return {
    kind: "released",
    error: new ServiceError(
      sent.code,
      "Nothing was sent to the chain and nothing was charged; present the same payment again later.",
    ),
  }
}

/**
 * Polls until the chain gives an outcome or the wait time is over. Never throws: the buyer may have paid, so an internal error must not
 * become an "uncharged" response.
 */
async function awaitChain(
  deps: PayingDeps,
  product: PaidProduct,
  attempt: Attempt,
  decided: Decided,
): Promise<Outcome> {
  const until = deps.machine.monotonic() + deps.payments.settleWaitMs
  try {
    for (;;) {
      const outcome = await pollOnce(deps, product, attempt, decided)
      if (outcome.kind !== "pending") return outcome
      if (outcome.sendable === true && isUnsent(deps, attempt)) await settleAgain(deps, attempt, true)
      if (deps.machine.monotonic() >= until) {
        await deps.store.run(() => dropLease(attempt.id, deps.owner))
        return outcome
      }
      await deps.machine.sleep(POLL_EVERY_MS)
    }
  } catch (error) {
    deps.strayLeases.add(attempt.id)
    if (error instanceof StoreClosed) deps.log.info("settlement_left_to_next_start", { attempt_id: attempt.id })
    else deps.log.error("settlement_left_to_reconciler", { attempt_id: attempt.id, ...bugFields(error) })
    return { kind: "pending", transaction: "" }
  }
}

/** A facilitator that has the payment gets it again from the reconciler only. */
function isUnsent({ payments: { settler } }: PayingDeps, { id }: Attempt): boolean {
  return settler.kind === "self" || !settler.pace.knows(id)
}

/**
 * Polls the chain once about a SETTLING attempt, and ends it when the chain gives an outcome. `decided`: what this process stored, if it worked
 * on the attempt before.
 */
export async function pollOnce(
  deps: PayingDeps,
  product: PaidProduct,
  attempt: Attempt,
  decided?: Decided,
): Promise<Outcome> {
  const seen = await pursue(deps, attempt)
  noteContradiction(deps, attempt, seen)
  if (seen.kind === "pending") return seen
  try {
    if (seen.kind === "settled") {
      const end = { from: "SETTLING", transfer: seen.transfer, ...(decided && { decided }) } as const
      const answer = await concludePaid(deps, product, attempt, end)
      return answer && !("refused" in answer) ? { kind: "delivered", answer } : { kind: "elsewhere" }
    }
    const end = { from: "SETTLING", to: "FAILED", reason: seen.why, watched: !seen.expired, usedBlock: null } as const
    const ended = await concludeUnpaid(deps, attempt, end)
    return ended ? { kind: "failed", reason: seen.why } : { kind: "elsewhere" }
  } catch (error) {
    // The outcome is known but the database cannot store it now. The row is still SETTLING, so the reconciler will write it.
    if (error instanceof StoreUnavailable) return { kind: "pending", transaction: "" }
    throw error
  }
}
