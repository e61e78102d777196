import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const logHead = sqliteTable("log_head", {
  id: integer("id").primaryKey(),
  treeSize: integer("tree_size").notNull(),
  frontier: blob("frontier", { mode: "buffer" }).notNull(),
  mapRoot: blob("map_root", { mode: "buffer" }).notNull(),
})

export const logLeaf = sqliteTable("log_leaf", {
  logIndex: integer("log_index").primaryKey(),
  data: blob("data", { mode: "buffer" }).notNull(),
})

export const logNode = sqliteTable(
  "log_node",
  {
    level: integer("level").notNull(),
    nodeIndex: integer("node_index").notNull(),
    hash: blob("hash", { mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.nodeIndex] })],
)

export const logMapEntry = sqliteTable("log_map_entry", {
  mapKey: blob("map_key", { mode: "buffer" }).primaryKey(),
  eventDigest: blob("event_digest", { mode: "buffer" }).notNull(),
  logIndex: integer("log_index").notNull(),
})

export const logMapBranch = sqliteTable("log_map_branch", {
  position: blob("position", { mode: "buffer" }).primaryKey(),
  leftHash: blob("left_hash", { mode: "buffer" }).notNull(),
  rightHash: blob("right_hash", { mode: "buffer" }).notNull(),
})

export const logPending = sqliteTable("log_pending", {
  id: integer("id").primaryKey(),
  kind: text("kind", { enum: ["CAPSULE"] }).notNull(),
  digest: text("digest").notNull(),
  requestId: text("request_id").notNull(),
})
