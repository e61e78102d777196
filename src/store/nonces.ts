import { and, eq, lt, sql } from "drizzle-orm"
import { instant, MINUTE } from "../core/time.ts"
import { bind, changed, first, query, type Unit, write } from "./engine/unit.ts"
import { areOldest, PURGED_AT_ONCE } from "./purge.ts"
import { voidBefore } from "./restores.ts"

/** SQLite numbers the rows of each table; where an engine does not, the table has a column of this name. */
const NUMBER = sql`rowid`

/** A nonce that has expired makes room for the same one, whether or not it was removed. */
const insert = write((db, { usedNonce: t }) =>
  db
    .insert(t)
    .values({ scope: bind("scope"), nonce: bind("nonce"), expiresAt: bind("expiresAt") })
    .onConflictDoUpdate({
      target: [t.scope, t.nonce],
      set: { expiresAt: sql`excluded.expires_at` },
      setWhere: lt(t.expiresAt, bind("now")),
    }),
)

const purge = write((db, { usedNonce: t }) =>
  db.delete(t).where(and(areOldest(t, NUMBER), lt(t.expiresAt, bind("now")))),
)

/** A nonce that the caller's unit spends. Times are RFC 3339. */
export interface SpentNonce {
  readonly scope: string
  readonly nonce: string
  readonly expiresAt: string
}

/**
 * Spends a nonce once within its scope. Returns false when it was spent already and has not expired before `now`. Call it only after the
 * signature verified.
 */
export function* spendNonce(scope: string, nonce: string, expiresAt: string, now: string): Unit<boolean> {
  if (maybeSpentBeforeRestore(yield* voidBefore(), instant(expiresAt))) return false
  return (yield* changed(insert, { scope, nonce, expiresAt, now })) === 1
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

/** The caller compares the time: with a further condition a look-up that finds nothing, as nearly all do, takes a tenth longer. */
const spent = query((db, t) =>
  db
    .select({ expiresAt: t.usedNonce.expiresAt })
    .from(t.usedNonce)
    .where(and(eq(t.usedNonce.scope, bind("scope")), eq(t.usedNonce.nonce, bind("nonce")))),
)

/** Only for an early response. {@link spendNonce} alone decides between two callers. */
export function* isNonceSpent(scope: string, nonce: string, now: string): Unit<boolean> {
  const row = yield* first(spent, { scope, nonce })
  return row !== undefined && row.expiresAt >= now
}

/** Deletes at most {@link PURGED_AT_ONCE} nonces whose window has passed, the oldest first; returns how many. */
export function* purgeNonces(now: string): Unit<number> {
  return yield* changed(purge, { now })
}
