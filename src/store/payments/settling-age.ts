/** How long settlements and relayer nonces have waited, for readiness. */
import { and, asc, eq, gte, inArray, lt, lte } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import { currentSettlement } from "./current-relayer.ts"

/** A waiting item with its name, and since when it waits (RFC 3339). */
export interface Waiting {
  readonly id: string
  readonly since: string
}

/** Counting ends at this number. */
export const SETTLING_COUNTED_MAX = 1000

const oldest = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id, since: t.paymentAttempt.updatedAt })
    .from(t.paymentAttempt)
    // The lower bound lets SQLite search the index. The result is the same without it, but takes a scan.
    .where(and(eq(t.paymentAttempt.state, "SETTLING"), gte(t.paymentAttempt.updatedAt, "")))
    .orderBy(asc(t.paymentAttempt.updatedAt), asc(t.paymentAttempt.id))
    .limit(1),
)
const since = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id })
    .from(t.paymentAttempt)
    .where(and(eq(t.paymentAttempt.state, "SETTLING"), lt(t.paymentAttempt.updatedAt, bind("before"))))
    .orderBy(asc(t.paymentAttempt.updatedAt), asc(t.paymentAttempt.id))
    .limit(SETTLING_COUNTED_MAX),
)
const lowest = query((db, t) =>
  db
    .select({ relayer: t.relayerNonce.relayer, nonce: t.relayerNonce.nonce, since: t.relayerNonce.createdAt })
    .from(t.relayerNonce)
    .where(
      and(
        inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"]),
        gte(t.relayerNonce.relayer, bind("from")),
        lte(t.relayerNonce.relayer, bind("to")),
      ),
    )
    .orderBy(asc(t.relayerNonce.relayer), asc(t.relayerNonce.nonce))
    .limit(1),
)

/** The attempt that has been SETTLING the longest; null when none is. */
export function* oldestSettling(): Unit<Waiting | null> {
  return (yield* first(oldest)) ?? null
}

/** How many attempts have been SETTLING since before `before` (RFC 3339), at most {@link SETTLING_COUNTED_MAX}. */
export function* settlingSince(before: string): Unit<number> {
  return (yield* rows(since, { before })).length
}

/** Above every address. */
const LAST_ADDRESS = "\u{10ffff}"

/**
 * The nonce that all later ones of the current relayer wait for, named RELAYER/NONCE, since its allocation; null when none is open. Before
 * the relayer is recorded, the nonces of every relayer count.
 */
export function* lowestOpenNonce(): Unit<Waiting | null> {
  const current = yield* currentSettlement()
  const open = yield* first(lowest, { from: current?.relayer ?? "", to: current?.relayer ?? LAST_ADDRESS })
  return open ? { id: `${open.relayer}/${open.nonce}`, since: open.since } : null
}
