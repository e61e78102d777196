import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const listPart = sqliteTable(
  "list_part",
  {
    sha256: text("sha256").notNull(),
    part: integer("part").notNull(),
    bytes: blob("bytes", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sha256, table.part] })],
)

export const listUpload = sqliteTable("list_upload", {
  sha256: text("sha256").primaryKey(),
})

export const listFile = sqliteTable(
  "list_file",
  {
    snapshotId: text("snapshot_id").notNull(),
    name: text("name").notNull(),
    sha256: text("sha256").notNull(),
    bytes: integer("bytes").notNull(),
    parts: integer("parts").notNull(),
  },
  (table) => [primaryKey({ columns: [table.snapshotId, table.name] })],
)

export const listActivation = sqliteTable("list_activation", {
  sourceId: text("source_id").primaryKey(),
  snapshotId: text("snapshot_id").notNull(),
  activatedAt: text("activated_at").notNull(),
})

export const instanceSnapshot = sqliteTable(
  "instance_snapshot",
  {
    instanceId: text("instance_id").notNull(),
    sourceId: text("source_id").notNull(),
    snapshotId: text("snapshot_id").notNull(),
    since: text("since").notNull(),
  },
  (table) => [primaryKey({ columns: [table.instanceId, table.sourceId] })],
)
