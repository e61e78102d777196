/** Counters of events, without agents. A unit counts in the row of its slot, and readers add the slots up. */
import { gte, lt, sql } from "drizzle-orm"
import { sumOf } from "../engine/expressions.ts"
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

/** Not an update: it would read pages of the index that other units use too. */
const count = write((db, { beaconCount: t }, words) =>
  db
    .insert(t)
    .values({
      day: bind("day"),
      eventKind: bind("eventKind"),
      productId: bind("productId"),
      channel: bind("channel"),
      slot: words.slot,
      events: 1,
    })
    .onConflictDoUpdate({
      target: [t.day, t.eventKind, t.productId, t.channel, t.slot],
      set: { events: sql`${t.events} + 1` },
    }),
)

const purgeCountRows = purgeOf(({ beaconCount: t }) => ({
  key: [t.day, t.eventKind, t.productId, t.channel, t.slot],
  where: lt(t.day, bind("before")),
  order: [t.day, t.eventKind, t.productId, t.channel, t.slot],
}))

const since = query((db, { beaconCount: t }) => {
  const { day, eventKind, productId, channel } = t
  return db
    .select({ day, eventKind, productId, channel, events: sumOf(t.events) })
    .from(t)
    .where(gte(day, bind("day")))
    .groupBy(day, eventKind, productId, channel)
    .orderBy(day, eventKind, productId, channel)
    .limit(bind("limit"))
})

export function* countEvent(event: Omit<EventCount, "events">): Unit<void> {
  yield* changed(count, { ...event })
}

/** Counters from `day` on, oldest first, at most `limit`. */
export function* countsSince(day: string, limit: number): Unit<EventCount[]> {
  return yield* rows(since, { day, limit })
}

/** Removes at most 64 rows of days before `before`; returns how many. */
export function* purgeCounts(before: string): Unit<number> {
  return yield* changed(purgeCountRows, { before })
}
