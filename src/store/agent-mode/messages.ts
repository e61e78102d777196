/** Signed messages that were answered, and their answers. */
import { and, desc, eq, gt, inArray, lte, sql } from "drizzle-orm"
import { bind, changed, first, type QueryBuilder, query, type Tables, type Unit, write } from "../engine/unit.ts"
import type { Words } from "../engine/words.ts"
import { areOldest } from "../purge.ts"

/** Digests by which a message is found. Each finds one message. */
export interface MessageMarks {
  /** Of the agent's idempotency key in the domain. */
  readonly keyMark: Uint8Array
  /** Of the nonce under the key that signed. */
  readonly nonceMark: Uint8Array
  /** Of the event that the message counted, else null. */
  readonly eventMark: Uint8Array | null
}

export interface AnsweredMessage {
  readonly requestDigest: string
  readonly response: string
}

export interface KeptMessage extends AnsweredMessage, MessageMarks {
  readonly agentId: string
  readonly domain: string
  /** RFC 3339. */
  readonly expiresAt: string
}

const put = write((db, t) =>
  db.insert(t.agentMessage).values({
    agentId: bind("agentId"),
    domain: bind("domain"),
    requestDigest: bind("requestDigest"),
    response: bind("response"),
    expiresAt: bind("expiresAt"),
    keyMark: bind("keyMark"),
    nonceMark: bind("nonceMark"),
    eventMark: bind("eventMark"),
  }),
)

/** Gives marks to the newest message. Another may have had one of them only if it has ended and was not purged yet. */
function insertMarks(marks: (keyof MessageMarks)[], db: QueryBuilder, tables: Tables, words: Words) {
  const { agentMessage, agentMessageMark: t } = tables
  const newest = words.lastNumber(agentMessage.id)
  return db
    .insert(t)
    .values(marks.map((name) => ({ mark: bind(name), messageId: newest })))
    .onConflictDoUpdate({
      target: t.mark,
      set: { messageId: sql`excluded.message_id` },
      setWhere: sql`(select ${agentMessage.expiresAt} from ${agentMessage} where ${eq(agentMessage.id, t.messageId)}) <= ${bind("at")}`,
    })
}

const mark = write((...engine) => insertMarks(["keyMark", "nonceMark"], ...engine))
const markCounted = write((...engine) => insertMarks(["keyMark", "nonceMark", "eventMark"], ...engine))

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
    .orderBy(desc(t.expiresAt), desc(t.id))
    .limit(1)
    .offset(bind("others")),
)

const areEnded = (t: Tables["agentMessage"]) => and(areOldest(t, t.id), lte(t.expiresAt, bind("at")))

/** A mark that a later message has taken over stays. */
const purgeMarks = write((db, { agentMessage: t, agentMessageMark }) => {
  const ended = (name: keyof MessageMarks) => db.select({ mark: t[name] }).from(t).where(areEnded(t))
  const marks = ended("keyMark").unionAll(ended("nonceMark")).unionAll(ended("eventMark"))
  const messages = db.select({ id: t.id }).from(t).where(areEnded(t))
  return db
    .delete(agentMessageMark)
    .where(and(sql`${agentMessageMark.mark} in ${marks}`, inArray(agentMessageMark.messageId, messages)))
})

const purge = write((db, { agentMessage: t }) => db.delete(t).where(areEnded(t)))

/** `at`: RFC 3339. A message that ended at it gives up its marks. */
export function* keepMessage(message: KeptMessage, at: string): Unit<void> {
  yield* changed(put, { ...message })
  const { keyMark, nonceMark, eventMark } = message
  const [statement, count] = eventMark === null ? [mark, 2] : [markCounted, 3]
  const marked = yield* changed(statement, { keyMark, nonceMark, eventMark, at })
  if (marked !== count) throw new Error("a message has a mark of another that has not ended")
}

/** The end of the answer to the agent's `count`-th newest turn of a dialogue, counted from 1, if it is after `after`. Null: there are fewer. */
export function* nthNewestTurn(agentId: string, count: number, after: string): Unit<string | null> {
  return (yield* first(nthTurn, { agentId, after, others: count - 1 }))?.expiresAt ?? null
}

/** Removes at most 64 that ended; returns how many. */
export function* purgeMessages(at: string): Unit<number> {
  yield* changed(purgeMarks, { at })
  return yield* changed(purge, { at })
}
