import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const invitation = sqliteTable("invitation", {
  reference: text("reference").primaryKey(),
  createdAt: text("created_at").notNull(),
})

export const channelEntry = sqliteTable(
  "channel_entry",
  {
    day: text("day").notNull(),
    channel: text("channel").notNull(),
    slot: integer("slot").notNull(),
    entries: integer("entries").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.channel, table.slot] })],
)
