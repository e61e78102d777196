import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const contactStop = sqliteTable("contact_stop", {
  id: integer("id").primaryKey(),
  mailbox: text("mailbox").notNull().unique(),
  stoppedAt: text("stopped_at").notNull(),
  source: text("source", { enum: ["HTTP", "MAIL"] }).notNull(),
  liftedAt: text("lifted_at"),
})
