import { integer, sqliteTable, text, unique } from "drizzle-orm/sqlite-core"

export const meta = sqliteTable("meta", {
  name: text("name").primaryKey(),
  value: text("value").notNull(),
})

export const serviceKey = sqliteTable("service_key", {
  keyId: text("key_id").primaryKey(),
  use: text("use", { enum: ["statement", "log", "sandbox"] }).notNull(),
  x: text("x").notNull(),
  status: text("status", { enum: ["ACTIVE", "ROTATED", "REVOKED"] }).notNull(),
  createdAt: text("created_at").notNull(),
  notBefore: text("not_before").notNull(),
  expiresAt: text("expires_at").notNull(),
  revokedSince: text("revoked_since"),
})

export const usedNonce = sqliteTable(
  "used_nonce",
  {
    scope: text("scope").notNull(),
    nonce: text("nonce").notNull(),
    expiresAt: text("expires_at").notNull(),
  },
  (table) => [unique().on(table.scope, table.nonce)],
)

export const changeCount = sqliteTable("change_count", {
  subject: text("subject", { enum: ["SOURCES", "SUPPRESSIONS"] }).primaryKey(),
  changes: integer("changes").notNull(),
})

export const instance = sqliteTable("instance", {
  instanceId: text("instance_id").primaryKey(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  release: text("release").notNull(),
  startedAt: text("started_at").notNull(),
  seenAt: text("seen_at").notNull(),
})

export const purgeRound = sqliteTable("purge_round", {
  id: text("id", { enum: ["EXPIRED"] }).primaryKey(),
  leaseOwner: text("lease_owner"),
  lookAt: text("look_at").notNull(),
})
