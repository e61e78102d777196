/**
 * Capsules that get their leaf after the unit that delivers them. Where units run side by side, a sale that appended its own leaf would make all
 * other sales wait. So a sale only inserts a row for its capsule, and one later unit gives many capsules their leaves. Where each unit holds every
 * order, a capsule never waits.
 */
import { asc, desc, eq, inArray, sql } from "drizzle-orm"
import { bind, changed, first, holdsOrder, inOrder, query, rows, type Store, type Unit, write } from "../engine/unit.ts"
import { appendAfter, appendStatements, currentHead, type Head } from "./transparency-log.ts"

/** Leaves of one unit. */
const SEQUENCED_MAX = 256

const put = write((db, t) =>
  db.insert(t.logPending).values({ kind: "CAPSULE", digest: bind("digest"), requestId: bind("requestId") }),
)
const oldest = query((db, { logPending: t }) => db.select().from(t).orderBy(asc(t.id)).limit(SEQUENCED_MAX))
const oldestId = query((db, { logPending: t }) => db.select({ id: t.id }).from(t).orderBy(asc(t.id)).limit(1))
const newestId = query((db, { logPending: t }) => db.select({ id: t.id }).from(t).orderBy(desc(t.id)).limit(1))
const oldestDelivered = query((db, { logPending: t, delivery }) =>
  db
    .select({ at: delivery.deliveredAt })
    .from(delivery)
    .where(eq(delivery.requestId, db.select({ requestId: t.requestId }).from(t).orderBy(asc(t.id)).limit(1))),
)
const noteLeaves = write((db, { delivery: t }, words) =>
  db
    .update(t)
    .set({ logIndex: words.integer(1) })
    .from(words.each(bind("places")))
    .where(eq(t.requestId, words.text(0))),
)
const remove = write((db, { logPending: t }, words) =>
  db.delete(t).where(inArray(t.id, sql`(select ${words.wholeInteger} from ${words.each(bind("ids"))})`)),
)

/** The head after which this unit appends the leaf of a capsule; null if the capsule waits for its leaf. */
export function* headForCapsule(): Unit<Head | null> {
  return (yield* holdsOrder("log")) ? yield* currentHead() : null
}

/** In the unit that delivers the capsule of a request, and notes its leaf there. `head`: see {@link headForCapsule}. */
export function* logCapsule(requestId: string, digest: string, head: Head | null = null): Unit<void> {
  if (head) yield* appendAfter(head, { kind: "CAPSULE", digest })
  else yield* changed(put, { requestId, digest })
}

/** Gives up to {@link SEQUENCED_MAX} capsules their leaves, the oldest first. Returns how many. */
function* sequence(): Unit<number> {
  const waiting = yield* rows(oldest)
  if (waiting.length === 0) return 0
  const start = yield* appendStatements(waiting)
  const places = waiting.map(({ requestId }, at) => [requestId, start + at])
  yield* changed(noteLeaves, { places: JSON.stringify(places) })
  yield* changed(remove, { ids: JSON.stringify(waiting.map(({ id }) => id)) })
  return waiting.length
}

function* sequenceInOrder(): Unit<number> {
  yield* inOrder("sequencing")
  return yield* sequence()
}

/** A round of a worker. Takes the order only if a capsule waits. Resolves with the number of leaves. */
export async function sequencePending(store: Store): Promise<number> {
  return (await store.read(() => first(oldestId))) ? store.run(sequenceInOrder, "sequencing") : 0
}

/** Gives every waiting capsule its leaf, in the unit of a caller that needs all of them in the log. */
export function* sequenceAll(): Unit<void> {
  yield* inOrder("log")
  while ((yield* sequence()) > 0);
}

/** When the sale of the oldest waiting capsule was delivered, RFC 3339. Null if none waits. */
export function* capsulesWaitSince(): Unit<string | null> {
  return (yield* first(oldestDelivered))?.at ?? null
}

/** Numbers of the first and the last waiting capsule. */
export interface WaitingCapsules {
  readonly oldest: number
  readonly newest: number
}

/** Null if none waits. */
export function* waitingCapsules(): Unit<WaitingCapsules | null> {
  const waiting = yield* first(oldestId)
  if (!waiting) return null
  return { oldest: waiting.id, newest: (yield* first(newestId))?.id ?? waiting.id }
}
