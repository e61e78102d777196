import { blob, integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const emailChallenge = sqliteTable("email_challenge", {
  id: text("id").primaryKey(),
  mailbox: text("mailbox").notNull(),
  requestDigest: text("request_digest").notNull(),
  tokenHash: text("token_hash").notNull().unique(),
  issuedAt: text("issued_at").notNull(),
  expiresAt: text("expires_at").notNull(),
  state: text("state", { enum: ["OPEN", "CONSUMED", "SUPERSEDED"] }).notNull(),
})

export const mailIn = sqliteTable("mail_in", {
  id: text("id").primaryKey(),
  raw: blob("raw", { mode: "buffer" }),
  receivedAt: text("received_at").notNull(),
  state: text("state", { enum: ["RECEIVED", "DONE", "DROPPED"] }).notNull(),
  reason: text("reason"),
  attempts: integer("attempts").notNull(),
  leaseOwner: text("lease_owner"),
  lookAt: text("look_at"),
})

export const mailOut = sqliteTable("mail_out", {
  id: text("id").primaryKey(),
  kind: text("kind", { enum: ["CHALLENGE", "REPLY", "FAULT"] }).notNull(),
  mailbox: text("mailbox").notNull(),
  nullSender: integer("null_sender").notNull(),
  raw: text("raw"),
  state: text("state", { enum: ["QUEUED", "SENT", "FAILED", "EXPIRED", "STOPPED", "SUPERSEDED"] }).notNull(),
  reason: text("reason"),
  attempts: integer("attempts").notNull(),
  createdAt: text("created_at").notNull(),
  giveUpAt: text("give_up_at").notNull(),
  leaseOwner: text("lease_owner"),
  lookAt: text("look_at"),
})
