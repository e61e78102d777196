import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const sharedUse = sqliteTable(
  "shared_use",
  {
    cap: text("cap").notNull(),
    share: text("share").notNull(),
    openedAt: integer("opened_at").notNull(),
    used: integer("used").notNull(),
    usedAt: integer("used_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.cap, table.share] })],
)
