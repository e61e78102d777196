import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const registerRequestCount = sqliteTable(
  "register_request_count",
  {
    keyDigest: text("key_digest").notNull(),
    second: integer("second").notNull(),
    requests: integer("requests").notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyDigest, table.second] })],
)

export const registerServicePause = sqliteTable("register_service_pause", {
  keyDigest: text("key_digest").primaryKey(),
  until: text("until").notNull(),
  reason: text("reason").notNull(),
  failures: integer("failures").notNull(),
})

export const registerAnswer = sqliteTable("register_answer", {
  id: integer("id").primaryKey(),
  sourceUrl: text("source_url").notNull().unique(),
  status: integer("status").notNull(),
  body: blob("body", { mode: "buffer" }).notNull(),
  etag: text("etag"),
  rawSha256: text("raw_sha256").notNull(),
  retrievedAt: text("retrieved_at").notNull(),
})
