import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const sourceCheck = sqliteTable("source_check", {
  sourceId: text("source_id").primaryKey(),
  attemptedAt: text("attempted_at").notNull(),
  outcome: text("outcome", { enum: ["IMPORTED", "NOT_MODIFIED", "REFUSED", "FAILED"] }).notNull(),
  code: text("code"),
  detail: text("detail"),
  failures: integer("failures").notNull(),
  retryAfterUntil: text("retry_after_until"),
  checkedAt: text("checked_at"),
  checkedSnapshotId: text("checked_snapshot_id"),
  filesCheckedAt: text("files_checked_at"),
  validators: text("validators").notNull(),
  marker: text("marker"),
})
