import { and, eq, lt, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "./unit.ts"

const insert = query((db, t) =>
  db
    .insert(t.usedNonce)
    .values({ scope: bind("scope"), nonce: bind("nonce"), expiresAt: bind("expiresAt") })
    .onConflictDoNothing()
    .returning({ nonce: t.usedNonce.nonce }),
)
const purge = query((db, t) =>
  db
    .delete(t.usedNonce)
    .where(lt(t.usedNonce.expiresAt, bind("now")))
    .returning({ nonce: t.usedNonce.nonce }),
)

/** Spends a nonce once within its scope. Returns false when it was already spent. Call it only after the signature verified. */
export function* spendNonce(scope: string, nonce: string, expiresAt: string): Unit<boolean> {
  return (yield* first(insert, { scope, nonce, expiresAt })) !== undefined
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

/** Deletes nonces whose window has passed; returns how many. */
export function* purgeNonces(now: string): Unit<number> {
  return (yield* rows(purge, { now })).length
}

const PURGED_AT_ONCE = 64

const purgeSome = query((db, t) => {
  const { scope, nonce, expiresAt } = t.usedNonce
  const ended = db
    .select({ scope, nonce })
    .from(t.usedNonce)
    .where(lt(expiresAt, bind("now")))
    .orderBy(expiresAt, scope, nonce)
    .limit(PURGED_AT_ONCE)
  return db.delete(t.usedNonce).where(sql`(${scope}, ${nonce}) IN ${ended}`).returning({ nonce })
})

/** As {@link purgeNonces}, at most 64: short enough for the unit that spends one. */
export function* purgeSomeNonces(now: string): Unit<number> {
  return (yield* rows(purgeSome, { now })).length
}
