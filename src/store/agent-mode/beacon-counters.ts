/** Counters of events, without agents. */
import { and, eq, gte, lt, sql } from "drizzle-orm"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"

interface EventCount {
  /** UTC, YYYY-MM-DD. */
  readonly day: string
  readonly eventKind: string
  /** Empty when the event named none. */
  readonly productId: string
  readonly channel: string
  readonly events: number
}

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

const purgeCountRows = purgeOf(({ beaconCount: t }) => ({
  key: [t.day, t.eventKind, t.productId, t.channel],
  where: lt(t.day, bind("before")),
  order: [t.day, t.eventKind, t.productId, t.channel],
}))

const since = query((db, t) =>
  db
    .select()
    .from(t.beaconCount)
    .where(gte(t.beaconCount.day, bind("day")))
    .orderBy(t.beaconCount.day, t.beaconCount.eventKind, t.beaconCount.productId, t.beaconCount.channel)
    .limit(bind("limit")),
)

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

/** Removes at most 64 rows of days before `before`; returns how many. */
export function* purgeCounts(before: string): Unit<number> {
  return yield* changed(purgeCountRows, { before })
}
