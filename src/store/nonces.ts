import { and, eq, lt } from "drizzle-orm"
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
