/** Answers to imports by agent and idempotency key, for repetitions within seven days. */
import { and, eq, lte, sql } from "drizzle-orm"
import { bind, changed, first, query, rows, type Unit } from "../engine/unit.ts"
import { PURGED_AT_ONCE, purgeOf } from "../purge.ts"
import { changeWalletTotal } from "./wallet-total.ts"

interface WalletRequest {
  readonly agentId: string
  readonly idempotencyKey: string
  readonly requestDigest: string
  readonly response: string
  readonly expiresAt: string
}

const byKey = query((db, { walletRequest: t }) =>
  db
    .select()
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), eq(t.idempotencyKey, bind("idempotencyKey")))),
)

const insert = query((db, { walletRequest: t }) =>
  db
    .insert(t)
    .values({
      agentId: bind("agentId"),
      idempotencyKey: bind("idempotencyKey"),
      requestDigest: bind("requestDigest"),
      response: bind("response"),
      expiresAt: bind("expiresAt"),
    })
    .onConflictDoUpdate({
      target: [t.agentId, t.idempotencyKey],
      set: {
        requestDigest: sql`excluded.request_digest`,
        response: sql`excluded.response`,
        expiresAt: sql`excluded.expires_at`,
      },
    })
    .returning({ agentId: t.agentId }),
)

const purge = purgeOf(({ walletRequest: t }) => ({
  key: [t.agentId, t.idempotencyKey],
  where: lte(t.expiresAt, bind("now")),
  order: [t.expiresAt, t.agentId, t.idempotencyKey],
}))

/** Null for a key that was not used, or so long ago that it is forgotten. */
export function* findWalletRequest(agentId: string, idempotencyKey: string, now: string): Unit<WalletRequest | null> {
  const found = yield* first(byKey, { agentId, idempotencyKey })
  return found && found.expiresAt > now ? found : null
}

/** Keeps the answer to a key that was not used or is forgotten. */
export function* keepWalletRequest(request: WalletRequest): Unit<void> {
  const { agentId, idempotencyKey } = request
  const isNew = !(yield* first(byKey, { agentId, idempotencyKey }))
  yield* rows(insert, { ...request })
  if (isNew) yield* changeWalletTotal({ answers: 1 })
}

/** Removes at most {@link PURGED_AT_ONCE} forgotten answers, the oldest first; returns how many. */
export function* purgeWalletRequests(now: string): Unit<number> {
  const removed = yield* changed(purge, { now })
  if (removed > 0) yield* changeWalletTotal({ answers: -removed })
  return removed
}
