import { sql } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"

interface ChannelEntry {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly channel: string
}

const countOne = query((db, t) =>
  db
    .insert(t.channelEntry)
    .values({ day: bind("day"), channel: bind("channel"), entries: 1 })
    .onConflictDoUpdate({
      target: [t.channelEntry.day, t.channelEntry.channel],
      set: { entries: sql`${t.channelEntry.entries} + 1` },
    })
    .returning({ entries: t.channelEntry.entries }),
)

/** Counts one opening of a channel's bootstrap. Channels are a closed set, so a year has at most a few thousand rows. */
export function* recordChannelEntry(entry: ChannelEntry): Unit<void> {
  yield* rows(countOne, { ...entry })
}
