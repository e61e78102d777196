/** Attempts that ended unpaid but could still be paid on the chain, and settled ones whose block is not safe yet. */
import { and, asc, eq, getTableColumns, gt, isNotNull, isNull, lt, lte, or } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { claimEnded, referPurchase } from "../sales/purchase-moves.ts"
import { referSold } from "../sales/sold-answers.ts"
import { followMove, movedColumns, transferReference } from "./attempt-totals.ts"
import { type Attempt, noteEvent } from "./attempts.ts"
import { eraseBytes } from "./relayer-ledger.ts"

/** Limit of attempts that one call takes for a poll. */
export const POLLS_AT_ONCE = 64

const due = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(lte(t.paymentAttempt.lookAt, bind("now")))
    .orderBy(asc(t.paymentAttempt.lookAt), asc(t.paymentAttempt.id))
    .limit(POLLS_AT_ONCE),
)
// A clock that ran ahead leaves these rows. Without this query they would not become due.
const beyond = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(gt(t.paymentAttempt.lookAt, bind("latest")))
    .orderBy(asc(t.paymentAttempt.lookAt), asc(t.paymentAttempt.id))
    .limit(POLLS_AT_ONCE),
)
const postpone = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ lookAt: bound("next") })
    .where(and(eq(t.paymentAttempt.id, bind("id")), isNotNull(t.paymentAttempt.lookAt)))
    .returning({ id: t.paymentAttempt.id }),
)

export interface PollTimes {
  readonly now: string
  /** Latest instant to which a poll may be postponed. */
  readonly latest: string
  /** When an attempt is due again, after `now`. */
  readonly nextPollAt: (attempt: Attempt) => string
}

/**
 * Takes ended attempts whose poll is due: watched ones, and settled ones whose block is not safe yet. Longest due first. Returns fewer than
 * {@link POLLS_AT_ONCE} only when no other is due. Each is postponed to its next poll. So the next call, also of another process, takes
 * others, and the attempt of a process that dies is polled again.
 */
export function* takeDuePolls({ now, latest, nextPollAt }: PollTimes): Unit<Attempt[]> {
  const isDue = yield* rows(due, { now })
  const found = isDue.length < POLLS_AT_ONCE ? [...isDue, ...(yield* rows(beyond, { latest }))] : isDue
  for (const attempt of found) yield* rows(postpone, { id: attempt.id, next: nextPollAt(attempt) })
  return found
}

const forget = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ watched: 0, usedBlock: null, lookAt: null })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.watched, 1)))
    .returning({ id: t.paymentAttempt.id }),
)

/** A safe block is past `validBefore` and the authorization never paid this service, so it can never be paid. */
export function* stopWatching(id: string): Unit<boolean> {
  if (!(yield* first(forget, { id }))) return false
  yield* claimEnded(id, false)
  return true
}

const see = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ usedBlock: bound("usedBlock") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.watched, 1),
        or(isNull(t.paymentAttempt.usedBlock), lt(t.paymentAttempt.usedBlock, bind("usedBlock"))),
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)
const takeBack = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ usedBlock: null })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.watched, 1),
        lt(t.paymentAttempt.usedBlock, bind("usedBlock")),
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)

/**
 * The chain shows the authorization of a watched attempt as used at this block. No other payment is taken for its request until a newer block
 * takes that back with {@link noteUnused}.
 */
export function* noteUsed(id: string, block: number): Unit<void> {
  if (yield* first(see, { id, usedBlock: block })) yield* claimEnded(id, true)
}

/**
 * The chain shows the authorization as unused at this block, or that it paid for something else. Changes nothing unless the block is newer than
 * each that showed a use: a poll may end late, and a node may be behind.
 */
export function* noteUnused(id: string, block: number): Unit<void> {
  if (yield* first(takeBack, { id, usedBlock: block })) yield* claimEnded(id, false)
}

const owe = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({
      state: "PAID_OWED",
      watched: 0,
      settledTx: bound("tx"),
      settledLogIndex: bound("logIndex"),
      settledBlock: bound("block"),
      settledBlockHash: bound("blockHash"),
      finality: "SAFE",
      leaseUntil: bound("at"),
      lookAt: null,
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.watched, 1),
        eq(t.paymentAttempt.state, bind("from")),
      ),
    )
    .returning(movedColumns(t)),
)

/** The money moved although this service had released the attempt. A decision is owed for it (rulings 33). */
export function* owePaidAttempt(
  attempt: Pick<Attempt, "id" | "state">,
  transfer: { tx: string; logIndex: number; block: string; blockHash: string },
  at: string,
): Unit<boolean> {
  const owed = yield* first(owe, { id: attempt.id, from: attempt.state, at, ...transfer })
  if (!owed) return false
  yield* eraseBytes(attempt.id)
  yield* followMove(owed, {
    from: attempt.state,
    to: "PAID_OWED",
    at,
    detail: `${transfer.tx} log ${transfer.logIndex}`,
  })
  return true
}

const owed = query((db, t) =>
  db
    .select({ ...getTableColumns(t.paymentAttempt), requestState: t.decisionRequest.state })
    .from(t.paymentAttempt)
    .leftJoin(t.decisionRequest, eq(t.decisionRequest.id, t.paymentAttempt.requestId))
    .where(eq(t.paymentAttempt.state, "PAID_OWED"))
    .orderBy(asc(t.paymentAttempt.createdAt), asc(t.paymentAttempt.id))
    .limit(1000),
)

/** `isRefund`: another payment, or a free replacement, brought the answer to its request. So no answer comes for this payment. */
interface OwedAttempt extends Attempt {
  readonly isRefund: boolean
}

/** Paid but not delivered, oldest first, at most 1,000: `bizauth payments owed`. */
export function* owedAttempts(): Unit<OwedAttempt[]> {
  const found = yield* rows(owed)
  return found.map(({ requestState, ...attempt }) => ({ ...attempt, isRefund: requestState === "DELIVERED" }))
}

const finalize = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ finality: bound("finality"), payloadJson: null, lookAt: null, updatedAt: bound("at") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, "SETTLED"),
        eq(t.paymentAttempt.finality, "INCLUDED"),
        eq(t.paymentAttempt.settledBlockHash, bind("from")),
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)

/** A settled attempt with the block of its transfer as a poll knows it. A poll of another process may know another block since. */
type SettledIn = Pick<Attempt, "id" | "settledBlockHash">

/** Ends the watch over a settled attempt: its block is safe, or a reorganization has lost the transfer for good. */
export function* concludeSettlement(
  { id, settledBlockHash: from }: SettledIn,
  finality: "SAFE" | "UNPAID_AFTER_REORG",
  at: string,
): Unit<boolean> {
  if (!(yield* first(finalize, { id, from, finality, at }))) return false
  yield* eraseBytes(id)
  yield* noteEvent(id, { from: "SETTLED", to: "SETTLED", at, detail: finality })
  return true
}

const reincluded = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({
      settledTx: bound("tx"),
      settledLogIndex: bound("logIndex"),
      settledBlock: bound("block"),
      settledBlockHash: bound("blockHash"),
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, "SETTLED"),
        eq(t.paymentAttempt.finality, "INCLUDED"),
        eq(t.paymentAttempt.settledBlockHash, bind("from")),
      ),
    )
    .returning({ chainId: t.paymentAttempt.chainId, requestId: t.paymentAttempt.requestId }),
)

/** The transfer is in another block now. */
export function* noteReinclusion(
  { id, settledBlockHash: from }: SettledIn,
  transfer: { tx: string; logIndex: number; block: string; blockHash: string },
  at: string,
): Unit<boolean> {
  const moved = yield* first(reincluded, { id, from, at, ...transfer })
  if (!moved) return false
  const reference = transferReference({ chainId: moved.chainId, tx: transfer.tx })
  yield* referPurchase(id, reference)
  yield* referSold(moved.requestId, reference)
  yield* noteEvent(id, { from: "SETTLED", to: "SETTLED", at, detail: `reorganized into ${transfer.tx}` })
  return true
}
