import { and, eq, lt, sql } from "drizzle-orm"
import { instant, MINUTE } from "../core/time.ts"
import { ONE_ROW } from "./engine/expressions.ts"
import { bind, changed, first, query, type Unit, write } from "./engine/unit.ts"
import { areOldest, hasOldestEnded, PURGED_AT_ONCE } from "./purge.ts"
import { restoresOf, voidBeforeOf } from "./restores.ts"

/** SQLite numbers the rows of each table; where an engine does not, the table has a column of this name. */
const NUMBER = sql`rowid`

const insert = write((db, t) =>
  db
    .insert(t.usedNonce)
    .values({ scope: bind("scope"), nonce: bind("nonce"), expiresAt: bind("expiresAt") })
    .onConflictDoNothing(),
)

const purge = write((db, { usedNonce: t }) =>
  db.delete(t).where(and(areOldest(t, NUMBER), lt(t.expiresAt, bind("now")))),
)

const facts = query((db, t) =>
  db
    .select({
      restores: restoresOf(t),
      hasEnded: hasOldestEnded(t.usedNonce, NUMBER, lt(t.usedNonce.expiresAt, bind("now"))),
    })
    .from(ONE_ROW),
)

/** A nonce that the caller's unit spends. Times are RFC 3339. */
export interface SpentNonce {
  readonly scope: string
  readonly nonce: string
  readonly expiresAt: string
}

/**
 * Spends a nonce once within its scope, and removes some that had expired before `now`. Returns false when it was already spent. Call it
 * only after the signature verified.
 */
export function* spendNonce(scope: string, nonce: string, expiresAt: string, now: string): Unit<boolean> {
  const row = yield* first(facts, { now })
  if (maybeSpentBeforeRestore(voidBeforeOf(row?.restores ?? null), instant(expiresAt))) return false
  if (row?.hasEnded === 1) yield* purgeNonces(now)
  return (yield* changed(insert, { scope, nonce, expiresAt })) === 1
}

/** The longest time from the signing of a nonce to its expiry: the window of a recovery with the clock's allowance. */
const NONCE_LIFE_MS_MAX = 10 * MINUTE

/**
 * A nonce that was signed before a restore may have been spent in the lost hours. One that expires this long after the restore was signed
 * after it. Times are in milliseconds.
 */
export function maybeSpentBeforeRestore(voidBefore: number | null, expiresAt: number): boolean {
  return voidBefore !== null && expiresAt < voidBefore + NONCE_LIFE_MS_MAX
}

const spent = query((db, t) =>
  db
    .select({ nonce: t.usedNonce.nonce })
    .from(t.usedNonce)
    .where(and(eq(t.usedNonce.scope, bind("scope")), eq(t.usedNonce.nonce, bind("nonce")))),
)

/** Only for an early response. {@link spendNonce} alone decides between two callers. */
export function* isNonceSpent(scope: string, nonce: string): Unit<boolean> {
  return (yield* first(spent, { scope, nonce })) !== undefined
}

/** Deletes at most {@link PURGED_AT_ONCE} nonces whose window has passed, the oldest first; returns how many. */
export function* purgeNonces(now: string): Unit<number> {
  return yield* changed(purge, { now })
}
