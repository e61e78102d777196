import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const sourceSnapshot = sqliteTable("source_snapshot", {
  snapshotId: text("snapshot_id").primaryKey(),
  sourceId: text("source_id").notNull(),
  sourceUrl: text("source_url").notNull(),
  sourceVersion: text("source_version").notNull(),
  sourceTimestamp: text("source_timestamp"),
  retrievedAt: text("retrieved_at").notNull(),
  parserVersion: text("parser_version").notNull(),
  rawSha256: text("raw_sha256").notNull(),
  partiesSha256: text("parties_sha256").notNull(),
  counts: text("counts").notNull(),
  entries: integer("entries").notNull(),
  files: text("files").notNull(),
  findings: text("findings").notNull(),
  importedAt: text("imported_at").notNull(),
  state: text("state", { enum: ["ACTIVE", "KEPT", "WITHDRAWN", "DROPPED"] }).notNull(),
  publishedAt: text("published_at"),
  publishedFrom: text("published_from", { enum: ["CONTENT", "FILE_NAME", "LAST_MODIFIED", "STATED"] }),
  confirmedAt: text("confirmed_at"),
  size: text("size", { enum: ["WHOLE", "UNDER_LEAST"] }),
  isSample: integer("is_sample").notNull().default(0),
  acceptances: text("acceptances").notNull().default("[]"),
  content: text("content"),
})

export const sourceAttempt = sqliteTable("source_attempt", {
  sourceId: text("source_id").primaryKey(),
  at: text("at").notNull(),
  outcome: text("outcome", { enum: ["IMPORTED", "REFUSED", "ROLLED_BACK"] }).notNull(),
  rawSha256: text("raw_sha256").notNull(),
  findings: text("findings").notNull(),
  schemaBreak: integer("schema_break").notNull(),
  breakPublished: text("break_published"),
})

export const sourceEvent = sqliteTable("source_event", {
  id: integer("id").primaryKey(),
  sourceId: text("source_id").notNull(),
  at: text("at").notNull(),
  kind: text("kind", { enum: ["IMPORTED", "REFUSED", "ROLLED_BACK"] }).notNull(),
  snapshotId: text("snapshot_id"),
  rawSha256: text("raw_sha256").notNull(),
  detail: text("detail").notNull(),
})

export const sourceAcceptance = sqliteTable("source_acceptance", {
  id: integer("id").primaryKey(),
  sourceId: text("source_id").notNull(),
  at: text("at").notNull(),
  rawSha256: text("raw_sha256").notNull(),
  what: text("what", { enum: ["OLD", "SMALL"] }).notNull(),
  reason: text("reason").notNull(),
  snapshotId: text("snapshot_id").notNull(),
  content: text("content"),
})

export const snapshotDetail = sqliteTable(
  "snapshot_detail",
  {
    snapshotId: text("snapshot_id").notNull(),
    detailsVersion: text("details_version").notNull(),
    sha256: text("sha256").notNull(),
  },
  (table) => [primaryKey({ columns: [table.snapshotId, table.detailsVersion, table.sha256] })],
)
