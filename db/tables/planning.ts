import { sqliteTable, text } from "drizzle-orm/sqlite-core"

export const planningContinuation = sqliteTable("planning_continuation", {
  continuationId: text("continuation_id").primaryKey(),
  usedBy: text("used_by").notNull(),
  expiresAt: text("expires_at").notNull(),
})
