/** Counters of events, without agents, and digests by which an event counts once. */
import { and, eq, gt, gte, inArray, lt, lte, sql } from "drizzle-orm"
import { bind, changed, first, query, rows, type Unit, write } from "../unit.ts"
import { PURGED_AT_ONCE } from "./purged-at-once.ts"

export interface EventCount {
  /** UTC, YYYY-MM-DD. */
  readonly day: string
  readonly eventKind: string
  /** Empty when the event named none. */
  readonly productId: string
  readonly channel: string
  readonly events: number
}

const seen = query((db, t) =>
  db
    .select({ digest: t.beaconSeen.digest })
    .from(t.beaconSeen)
    .where(and(eq(t.beaconSeen.digest, bind("digest")), gt(t.beaconSeen.expiresAt, bind("at")))),
)

const note = write((db, t) =>
  db
    .insert(t.beaconSeen)
    .values({ digest: bind("digest"), expiresAt: bind("expiresAt") })
    .onConflictDoUpdate({
      target: t.beaconSeen.digest,
      set: { expiresAt: sql`excluded.expires_at` },
      setWhere: lte(t.beaconSeen.expiresAt, bind("at")),
    }),
)

const purgeSeenRows = query((db, t) =>
  db
    .delete(t.beaconSeen)
    .where(
      inArray(
        t.beaconSeen.digest,
        db
          .select({ digest: t.beaconSeen.digest })
          .from(t.beaconSeen)
          .where(lte(t.beaconSeen.expiresAt, bind("at")))
          .orderBy(t.beaconSeen.expiresAt, t.beaconSeen.digest)
          .limit(PURGED_AT_ONCE),
      ),
    )
    .returning({ digest: t.beaconSeen.digest }),
)

const countAgain = write((db, { beaconCount: t }) =>
  db
    .update(t)
    .set({ events: sql`${t.events} + 1` })
    .where(
      and(
        eq(t.day, bind("day")),
        eq(t.eventKind, bind("eventKind")),
        eq(t.productId, bind("productId")),
        eq(t.channel, bind("channel")),
      ),
    ),
)

const countFirst = write((db, t) =>
  db.insert(t.beaconCount).values({
    day: bind("day"),
    eventKind: bind("eventKind"),
    productId: bind("productId"),
    channel: bind("channel"),
    events: 1,
  }),
)

const purgeCountRows = query((db, t) => {
  const { day, eventKind, productId, channel } = t.beaconCount
  const ended = db
    .select({ day, eventKind, productId, channel })
    .from(t.beaconCount)
    .where(lt(day, bind("before")))
    .orderBy(day, eventKind, productId, channel)
    .limit(PURGED_AT_ONCE)
  return db
    .delete(t.beaconCount)
    .where(sql`(${day}, ${eventKind}, ${productId}, ${channel}) IN ${ended}`)
    .returning({ day })
})

const since = query((db, t) =>
  db
    .select()
    .from(t.beaconCount)
    .where(gte(t.beaconCount.day, bind("day")))
    .orderBy(t.beaconCount.day, t.beaconCount.eventKind, t.beaconCount.productId, t.beaconCount.channel)
    .limit(bind("limit")),
)

/** `at` is RFC 3339. */
export function* isEventSeen(digest: string, at: string): Unit<boolean> {
  return (yield* first(seen, { digest, at })) !== undefined
}

/** Returns false if the event was noted before and that has not ended. With `hasEnded`, at most 64 digests that ended at `at` are removed. */
export function* noteEvent(digest: string, expiresAt: string, at: string, hasEnded: boolean): Unit<boolean> {
  if (hasEnded) yield* purgeSeen(at)
  return (yield* changed(note, { digest, expiresAt, at })) === 1
}

/** `before`: with a new row, rows of days before it are removed, at most 64. */
export function* countEvent(event: Omit<EventCount, "events">, before: string): Unit<void> {
  if ((yield* changed(countAgain, { ...event })) > 0) return
  yield* changed(countFirst, { ...event })
  yield* purgeCounts(before)
}

/** Counters from `day` on, oldest first, at most `limit`. */
export function* countsSince(day: string, limit: number): Unit<EventCount[]> {
  return yield* rows(since, { day, limit })
}

/** Removes at most 64 that ended; returns how many. */
export function* purgeSeen(at: string): Unit<number> {
  return (yield* rows(purgeSeenRows, { at })).length
}

/** Removes at most 64 rows of days before `before`; returns how many. */
export function* purgeCounts(before: string): Unit<number> {
  return (yield* rows(purgeCountRows, { before })).length
}
