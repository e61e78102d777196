import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const signatureNonce = sqliteTable("signature_nonce", {
  id: integer("id").primaryKey(),
  nonceDigest: text("nonce_digest").notNull(),
  recordId: text("record_id").notNull(),
  agentId: text("agent_id").notNull(),
  expiresAt: text("expires_at").notNull(),
})

export const artifactRegistration = sqliteTable("artifact_registration", {
  statementDigest: text("statement_digest").primaryKey(),
  registrationId: text("registration_id").notNull(),
  payloadDigest: text("payload_digest").notNull(),
  agentId: text("agent_id").notNull(),
  keyId: text("key_id").notNull(),
  registeredAt: text("registered_at").notNull(),
  logIndex: integer("log_index").notNull(),
  invitationReference: text("invitation_reference"),
})
