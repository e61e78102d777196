import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const restoreConfirmation = sqliteTable(
  "restore_confirmation",
  {
    kind: text("kind", { enum: ["SUPPRESSION", "ORGANIZATION", "MANDATE_KEY", "AGENT"] }).notNull(),
    subject: text("subject").notNull(),
    confirmedAt: text("confirmed_at").notNull(),
    author: text("author").notNull(),
    reason: text("reason").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.subject, table.confirmedAt] })],
)
