import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const walletEntry = sqliteTable("wallet_entry", {
  walletEntryId: text("wallet_entry_id").primaryKey(),
  agentId: text("agent_id").notNull(),
  environment: text("environment", { enum: ["SANDBOX", "LIVE"] }).notNull(),
  seq: integer("seq").notNull(),
  type: text("type").notNull(),
  artifactDigest: text("artifact_digest").notNull(),
  issuer: text("issuer").notNull(),
  product: text("product"),
  subjectDigests: text("subject_digests").notNull(),
  signingKeyId: text("signing_key_id").notNull(),
  reference: text("reference"),
  decision: text("decision"),
  verification: text("verification").notNull(),
  validAsOf: text("valid_as_of"),
  validUntil: text("valid_until"),
  importedAt: text("imported_at").notNull(),
  until: text("until").notNull(),
  documentBytes: integer("document_bytes").notNull(),
  documentDigest: text("document_digest"),
})

export const walletDocument = sqliteTable("wallet_document", {
  walletEntryId: text("wallet_entry_id").primaryKey(),
  bytes: blob("bytes", { mode: "buffer" }).notNull(),
})

export const walletUsage = sqliteTable(
  "wallet_usage",
  {
    agentId: text("agent_id").notNull(),
    environment: text("environment", { enum: ["SANDBOX", "LIVE"] }).notNull(),
    lastSeq: integer("last_seq").notNull(),
    entries: integer("entries").notNull(),
    documentBytes: integer("document_bytes").notNull(),
    hour: text("hour").notNull(),
    imports: integer("imports").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.environment] })],
)

export const walletTotal = sqliteTable("wallet_total", {
  id: integer("id").primaryKey(),
  entries: integer("entries").notNull(),
  documentBytes: integer("document_bytes").notNull(),
  answers: integer("answers").notNull(),
})

export const walletRequest = sqliteTable(
  "wallet_request",
  {
    agentId: text("agent_id").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    requestDigest: text("request_digest").notNull(),
    response: text("response").notNull(),
    expiresAt: text("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.idempotencyKey] })],
)
