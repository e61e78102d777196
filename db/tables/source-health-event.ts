import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const sourceHealthEvent = sqliteTable("source_health_event", {
  id: integer("id").primaryKey(),
  sourceId: text("source_id").notNull(),
  at: text("at").notNull(),
  fromHealth: text("from_health"),
  toHealth: text("to_health", { enum: ["HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"] }).notNull(),
  reasonCodes: text("reason_codes").notNull(),
  snapshotId: text("snapshot_id"),
})
