/** The service's own signing keys, public half only. A row is never deleted; its status moves ACTIVE, ROTATED, REVOKED. */
import { and, asc, eq, ne } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { sequenceAll } from "../log/sequenced-log.ts"

export const KEY_USES = ["statement", "log", "sandbox"] as const
export type KeyUse = (typeof KEY_USES)[number]
export type KeyStatus = "ACTIVE" | "ROTATED" | "REVOKED"

/** Instants are RFC 3339 with milliseconds. */
export interface ServiceKey {
  readonly keyId: string
  readonly use: KeyUse
  readonly x: string
  readonly status: KeyStatus
  readonly createdAt: string
  readonly notBefore: string
  readonly expiresAt: string
  readonly revokedSince: string | null
}

const all = query((db, t) =>
  db.select().from(t.serviceKey).orderBy(asc(t.serviceKey.createdAt), asc(t.serviceKey.keyId)),
)
const byUse = query((db, t) =>
  db
    .select()
    .from(t.serviceKey)
    .where(eq(t.serviceKey.use, bind("use")))
    .orderBy(asc(t.serviceKey.createdAt), asc(t.serviceKey.keyId)),
)
const active = query((db, t) =>
  db
    .select()
    .from(t.serviceKey)
    .where(and(eq(t.serviceKey.use, bind("use")), eq(t.serviceKey.status, "ACTIVE"))),
)
const byId = query((db, t) =>
  db
    .select()
    .from(t.serviceKey)
    .where(eq(t.serviceKey.keyId, bind("keyId"))),
)
const insert = query((db, t) =>
  db
    .insert(t.serviceKey)
    .values({
      keyId: bind("keyId"),
      use: bind("use"),
      x: bind("x"),
      status: "ACTIVE",
      createdAt: bind("createdAt"),
      notBefore: bind("notBefore"),
      expiresAt: bind("expiresAt"),
      revokedSince: null,
    })
    .returning({ keyId: t.serviceKey.keyId }),
)
const retireActive = query((db, t) =>
  db
    .update(t.serviceKey)
    .set({ status: "ROTATED" })
    .where(and(eq(t.serviceKey.use, bind("use")), eq(t.serviceKey.status, "ACTIVE")))
    .returning({ keyId: t.serviceKey.keyId }),
)
const revoke = query((db, t) =>
  db
    .update(t.serviceKey)
    .set({ status: "REVOKED", revokedSince: bound("since") })
    .where(and(eq(t.serviceKey.keyId, bind("keyId")), ne(t.serviceKey.status, "REVOKED")))
    .returning({ keyId: t.serviceKey.keyId }),
)

/** Every use, oldest first. */
export function* listAllServiceKeys(): Unit<ServiceKey[]> {
  return yield* rows(all)
}

/** Oldest first. */
export function* listServiceKeys(use: KeyUse): Unit<ServiceKey[]> {
  return yield* rows(byUse, { use })
}

export function* findActiveServiceKey(use: KeyUse): Unit<ServiceKey | null> {
  return (yield* first(active, { use })) ?? null
}

export function* findServiceKey(keyId: string): Unit<ServiceKey | null> {
  return (yield* first(byId, { keyId })) ?? null
}

/** Makes `next` the ACTIVE key of its use; the previous one becomes ROTATED. Returns the previous key's id, null for the first key. */
export function* activateKey(next: ServiceKey): Unit<string | null> {
  const retired = yield* first(retireActive, { use: next.use })
  yield* first(insert, {
    keyId: next.keyId,
    use: next.use,
    x: next.x,
    createdAt: next.createdAt,
    notBefore: next.notBefore,
    expiresAt: next.expiresAt,
  })
  return retired?.keyId ?? null
}

export type RevokeOutcome = "REVOKED" | "ALREADY_REVOKED" | "NOT_FOUND" | "ACTIVE"

/**
 * Revokes a key that does not sign any more. A signature of a revoked key counts only if the log had it before, so every waiting capsule gets
 * its leaf first. INVARIANT: an ACTIVE key is replaced before it is revoked, in one commit, because a service without a signing key could not
 * even announce that.
 */
export function* revokeKey(keyId: string, since: string): Unit<RevokeOutcome> {
  const key = yield* findServiceKey(keyId)
  if (!key) return "NOT_FOUND"
  if (key.status === "REVOKED") return "ALREADY_REVOKED"
  if (key.status === "ACTIVE") return "ACTIVE"
  yield* sequenceAll()
  yield* first(revoke, { keyId, since })
  return "REVOKED"
}
