import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const suppression = sqliteTable("suppression", {
  suppressionId: text("suppression_id").primaryKey(),
  partyDigest: text("party_digest").notNull(),
  party: text("party").notNull(),
  sourceId: text("source_id").notNull(),
  entryId: text("entry_id").notNull(),
  entryHash: text("entry_hash").notNull(),
  author: text("author").notNull(),
  reason: text("reason").notNull(),
  createdAt: text("created_at").notNull(),
  expiresAt: text("expires_at").notNull(),
  detailsVersion: text("details_version"),
  detailsDigest: text("details_digest"),
})

export const suppressionUse = sqliteTable("suppression_use", {
  suppressionId: text("suppression_id").primaryKey(),
  lastAt: text("last_at").notNull(),
  times: integer("times").notNull(),
  lastRequestId: text("last_request_id"),
})

export const suppressionEvent = sqliteTable("suppression_event", {
  id: integer("id").primaryKey(),
  suppressionId: text("suppression_id").notNull(),
  at: text("at").notNull(),
  kind: text("kind", { enum: ["ADDED", "REVOKED"] }).notNull(),
  author: text("author").notNull(),
  reason: text("reason").notNull(),
})
