/** Signed messages that were answered, and their answers. */
import { and, desc, eq, gt, lte, sql } from "drizzle-orm"
import { areOldest } from "../oldest-rows.ts"
import { bind, changed, first, query, rows, type Unit, write } from "../unit.ts"
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

export interface KeptMessage extends AnsweredMessage {
  /** RFC 3339. */
  readonly expiresAt: string
  /** Digest of the event that the message counted, else null. */
  readonly eventDigest: Uint8Array | null
}

const put = write((db, t) =>
  db
    .insert(t.agentMessage)
    .values({
      agentId: bind("agentId"),
      domain: bind("domain"),
      idempotencyKey: bind("idempotencyKey"),
      requestDigest: bind("requestDigest"),
      response: bind("response"),
      expiresAt: bind("expiresAt"),
      eventDigest: bind("eventDigest"),
    })
    // Only a row that ended and was not purged yet has the same key. It becomes the newest row, so that the oldest is still the first to end.
    .onConflictDoUpdate({
      target: [t.agentMessage.agentId, t.agentMessage.domain, t.agentMessage.idempotencyKey],
      set: {
        id: sql`(select max(${t.agentMessage.id}) + 1 from ${t.agentMessage})`,
        requestDigest: sql`excluded.request_digest`,
        response: sql`excluded.response`,
        expiresAt: sql`excluded.expires_at`,
        eventDigest: sql`excluded.event_digest`,
      },
    }),
)

const forget = write((db, { agentMessage: t }) =>
  db
    .update(t)
    .set({ eventDigest: null })
    .where(eq(t.eventDigest, bind("eventDigest"))),
)

/** The literal of the condition lets the partial index `agent_message_turns` answer. */
const nthTurn = query((db, { agentMessage: t }) =>
  db
    .select({ expiresAt: t.expiresAt })
    .from(t)
    .where(
      and(
        eq(t.agentId, bind("agentId")),
        sql`substr(${t.domain}, 1, 18) = 'svc.sales.dialogue'`,
        gt(t.expiresAt, bind("after")),
      ),
    )
    .orderBy(desc(t.expiresAt), desc(t.idempotencyKey))
    .limit(1)
    .offset(bind("others")),
)

const purge = query((db, { agentMessage: t }) =>
  db
    .delete(t)
    .where(and(areOldest(t, PURGED_AT_ONCE), lte(t.expiresAt, bind("at"))))
    .returning({ id: t.id }),
)

/** With `hasEnded`, at most 64 answers that ended at `at` (RFC 3339) are removed. */
export function* keepMessage(key: MessageKey, message: KeptMessage, at: string, hasEnded: boolean): Unit<void> {
  if (hasEnded) yield* purgeMessages(at)
  const { agentId, domain, idempotencyKey } = key
  yield* changed(put, { agentId, domain, idempotencyKey, ...message })
}

/** For an event whose message has ended and was not purged yet: the event may be counted again. */
export function* forgetEvent(eventDigest: Uint8Array): Unit<void> {
  yield* changed(forget, { eventDigest })
}

/** The end of the answer to the agent's `count`-th newest turn of a dialogue, counted from 1, if it is after `after`. Null: there are fewer. */
export function* nthNewestTurn(agentId: string, count: number, after: string): Unit<string | null> {
  return (yield* first(nthTurn, { agentId, after, others: count - 1 }))?.expiresAt ?? null
}

/** Removes at most 64 that ended; returns how many. */
export function* purgeMessages(at: string): Unit<number> {
  return (yield* rows(purge, { at })).length
}
