/** Attempts that ended unpaid but could still be paid on the chain, and settled ones whose block is not safe yet. */
import { and, asc, eq } from "drizzle-orm"
import { type Attempt, noteEvent } from "./attempts.ts"
import { bind, bound, first, query, rows, type Unit } from "./unit.ts"

const watched = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(eq(t.paymentAttempt.watched, 1))
    .orderBy(asc(t.paymentAttempt.validBefore))
    .limit(64),
)

/** Oldest expiry first, at most 64. */
export function* watchedAttempts(): Unit<Attempt[]> {
  return yield* rows(watched)
}

const forget = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ watched: 0 })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.watched, 1)))
    .returning({ id: t.paymentAttempt.id }),
)

/** A safe block is past `validBefore` and the authorization was never used for us: it can never be paid any more. */
export function* stopWatching(id: string): Unit<boolean> {
  return (yield* first(forget, { id })) !== undefined
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
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.watched, 1),
        eq(t.paymentAttempt.state, bind("from")),
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)

/** Somebody moved the money although we had given the attempt up: we owe a decision for it (rulings 33). */
export function* owePaidAttempt(
  attempt: Pick<Attempt, "id" | "state">,
  transfer: { tx: string; logIndex: number; block: string; blockHash: string },
  at: string,
): Unit<boolean> {
  if (!(yield* first(owe, { id: attempt.id, from: attempt.state, at, ...transfer }))) return false
  yield* noteEvent(attempt.id, at, attempt.state, "PAID_OWED", `${transfer.tx} log ${transfer.logIndex}`)
  return true
}

const owed = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(eq(t.paymentAttempt.state, "PAID_OWED"))
    .orderBy(asc(t.paymentAttempt.createdAt))
    .limit(1000),
)

/** Paid for, not delivered: `bizauth payments owed`. */
export function* owedAttempts(): Unit<Attempt[]> {
  return yield* rows(owed)
}

const unsafe = query((db, t) =>
  db
    .select()
    .from(t.paymentAttempt)
    .where(and(eq(t.paymentAttempt.state, "SETTLED"), eq(t.paymentAttempt.finality, "INCLUDED")))
    .orderBy(asc(t.paymentAttempt.updatedAt))
    .limit(64),
)

export function* unsafeSettlements(): Unit<Attempt[]> {
  return yield* rows(unsafe)
}

const finalize = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ finality: bound("finality"), payloadJson: null, updatedAt: bound("at") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        eq(t.paymentAttempt.state, "SETTLED"),
        eq(t.paymentAttempt.finality, "INCLUDED"),
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)

/** Ends the watch over a settled attempt: its block is safe, or the transfer is lost for good after a reorganization. */
export function* concludeSettlement(id: string, finality: "SAFE" | "UNPAID_AFTER_REORG", at: string): Unit<boolean> {
  if (!(yield* first(finalize, { id, finality, at }))) return false
  yield* noteEvent(id, at, "SETTLED", "SETTLED", finality)
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
      ),
    )
    .returning({ id: t.paymentAttempt.id }),
)

/** The transfer stands in another block now. */
export function* noteReinclusion(
  id: string,
  transfer: { tx: string; logIndex: number; block: string; blockHash: string },
  at: string,
): Unit<boolean> {
  if (!(yield* first(reincluded, { id, at, ...transfer }))) return false
  yield* noteEvent(id, at, "SETTLED", "SETTLED", `reorganized into ${transfer.tx}`)
  return true
}
