/** Signed messages that were answered, and their answers. */
import { and, desc, eq, gt, lte, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../unit.ts"
import { PURGED_AT_ONCE } from "./purged-at-once.ts"

export interface MessageKey {
  readonly agentId: string
  readonly domain: string
  readonly idempotencyKey: string
}

export interface AnsweredMessage {
  readonly requestDigest: string
  readonly response: string
}

const byKey = query((db, t) =>
  db
    .select({ requestDigest: t.agentMessage.requestDigest, response: t.agentMessage.response })
    .from(t.agentMessage)
    .where(
      and(
        eq(t.agentMessage.agentId, bind("agentId")),
        eq(t.agentMessage.domain, bind("domain")),
        eq(t.agentMessage.idempotencyKey, bind("idempotencyKey")),
        gt(t.agentMessage.expiresAt, bind("at")),
      ),
    ),
)

const put = query((db, t) =>
  db
    .insert(t.agentMessage)
    .values({
      agentId: bind("agentId"),
      domain: bind("domain"),
      idempotencyKey: bind("idempotencyKey"),
      requestDigest: bind("requestDigest"),
      response: bind("response"),
      expiresAt: bind("expiresAt"),
    })
    // Only a row that ended and was not purged yet has the same key.
    .onConflictDoUpdate({
      target: [t.agentMessage.agentId, t.agentMessage.domain, t.agentMessage.idempotencyKey],
      set: {
        requestDigest: sql`excluded.request_digest`,
        response: sql`excluded.response`,
        expiresAt: sql`excluded.expires_at`,
      },
    })
    .returning({ domain: t.agentMessage.domain }),
)

const nthNewest = query((db, t) =>
  db
    .select({ expiresAt: t.agentMessage.expiresAt })
    .from(t.agentMessage)
    .where(
      and(
        eq(t.agentMessage.agentId, bind("agentId")),
        eq(t.agentMessage.domain, bind("domain")),
        gt(t.agentMessage.expiresAt, bind("after")),
      ),
    )
    .orderBy(desc(t.agentMessage.expiresAt), desc(t.agentMessage.idempotencyKey))
    .limit(1)
    .offset(bind("others")),
)

const purge = query((db, t) => {
  const { agentId, domain, idempotencyKey, expiresAt } = t.agentMessage
  const ended = db
    .select({ agentId, domain, idempotencyKey })
    .from(t.agentMessage)
    .where(lte(expiresAt, bind("at")))
    .orderBy(expiresAt, agentId, domain, idempotencyKey)
    .limit(PURGED_AT_ONCE)
  return db
    .delete(t.agentMessage)
    .where(sql`(${agentId}, ${domain}, ${idempotencyKey}) IN ${ended}`)
    .returning({ domain })
})

/** `at` is RFC 3339. An answer that ended before it is not found. */
export function* findMessage(key: MessageKey, at: string): Unit<AnsweredMessage | null> {
  return (yield* first(byKey, { ...key, at })) ?? null
}

export function* keepMessage(
  key: MessageKey,
  message: AnsweredMessage & { readonly expiresAt: string },
  at: string,
): Unit<void> {
  yield* purgeMessages(at)
  yield* first(put, { ...key, ...message })
}

/** The end of the agent's `count`-th newest answer, counted from 1, if it lies after `after`. Null: there are fewer. */
export function* nthNewestMessage(
  { agentId, domain }: Pick<MessageKey, "agentId" | "domain">,
  count: number,
  after: string,
): Unit<string | null> {
  return (yield* first(nthNewest, { agentId, domain, after, others: count - 1 }))?.expiresAt ?? null
}

/** Removes at most 64 that ended; returns how many. */
export function* purgeMessages(at: string): Unit<number> {
  return (yield* rows(purge, { at })).length
}
