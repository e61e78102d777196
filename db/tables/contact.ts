import { sqliteTable, text } from "drizzle-orm/sqlite-core"

export const contactStop = sqliteTable("contact_stop", {
  mailbox: text("mailbox").primaryKey(),
  stoppedAt: text("stopped_at").notNull(),
  source: text("source", { enum: ["HTTP", "MAIL"] }).notNull(),
})
