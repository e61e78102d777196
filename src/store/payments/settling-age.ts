/** How long settlements and relayer nonces have waited: what readiness judges. */
import { and, asc, eq, gte, inArray } from "drizzle-orm"
import { first, query, type Unit } from "../unit.ts"

/** Something that waits, by a name of its own, since an instant (RFC 3339). */
export interface Waiting {
  readonly id: string
  readonly since: string
}

const oldest = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id, since: t.paymentAttempt.updatedAt })
    .from(t.paymentAttempt)
    // The lower bound lets the index be searched, where a scan of it would also answer.
    .where(and(eq(t.paymentAttempt.state, "SETTLING"), gte(t.paymentAttempt.updatedAt, "")))
    .orderBy(asc(t.paymentAttempt.updatedAt), asc(t.paymentAttempt.id))
    .limit(1),
)
const lowest = query((db, t) =>
  db
    .select({ relayer: t.relayerNonce.relayer, nonce: t.relayerNonce.nonce, since: t.relayerNonce.createdAt })
    .from(t.relayerNonce)
    .where(and(inArray(t.relayerNonce.state, ["ALLOCATED", "STORED"]), gte(t.relayerNonce.relayer, "")))
    .orderBy(asc(t.relayerNonce.relayer), asc(t.relayerNonce.nonce))
    .limit(1),
)

/** The attempt that has been SETTLING the longest; null when none is. */
export function* oldestSettling(): Unit<Waiting | null> {
  return (yield* first(oldest)) ?? null
}

/** The relayer nonce that every later one waits for, named RELAYER/NONCE, since it was allocated; null when none is open. */
export function* lowestOpenNonce(): Unit<Waiting | null> {
  const open = yield* first(lowest)
  return open ? { id: `${open.relayer}/${open.nonce}`, since: open.since } : null
}
