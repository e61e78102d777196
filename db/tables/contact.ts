import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

const SOURCES = ["PROVED", "UNPROVED"] as const

export const contactStop = sqliteTable("contact_stop", {
  id: integer("id").primaryKey(),
  mailbox: text("mailbox").notNull().unique(),
  domain: text("domain").notNull(),
  stoppedAt: text("stopped_at").notNull(),
  source: text("source", { enum: SOURCES }).notNull(),
})

export const contactStopCount = sqliteTable("contact_stop_count", {
  source: text("source", { enum: SOURCES }).primaryKey(),
  stops: integer("stops").notNull(),
})
