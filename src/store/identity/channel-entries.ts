import { sql } from "drizzle-orm"
import { bind, changed, type Unit, write } from "../engine/unit.ts"

interface ChannelEntry {
  /** UTC day, `YYYY-MM-DD`. */
  readonly day: string
  readonly channel: string
}

const countOne = write((db, { channelEntry: t }, words) =>
  db
    .insert(t)
    .values({ day: bind("day"), channel: bind("channel"), slot: words.slot, entries: 1 })
    .onConflictDoUpdate({ target: [t.day, t.channel, t.slot], set: { entries: sql`${t.entries} + 1` } }),
)

/** Counts one opening of a channel's bootstrap. Channels are a closed set, so a year has at most a few thousand rows of a slot. */
export function* recordChannelEntry(entry: ChannelEntry): Unit<void> {
  yield* changed(countOne, { ...entry })
}
