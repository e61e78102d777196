import { sqliteTable, text } from "drizzle-orm/sqlite-core"

export const answerRecord = sqliteTable("answer_record", {
  requestId: text("request_id").primaryKey(),
  product: text("product").notNull(),
  owner: text("owner").notNull(),
  organizationId: text("organization_id"),
  keyId: text("key_id"),
  executionId: text("execution_id").notNull(),
  coreDigest: text("core_digest").notNull(),
  subject: text("subject").notNull(),
  nameKey: text("name_key").notNull(),
  obligationKey: text("obligation_key"),
  documentDigest: text("document_digest"),
  payeeFingerprint: text("payee_fingerprint"),
  destinationFingerprint: text("destination_fingerprint"),
  decision: text("decision").notNull(),
  decidedAt: text("decided_at").notNull(),
  validUntil: text("valid_until").notNull(),
  supplierId: text("supplier_id"),
  organizationSupplierId: text("organization_supplier_id"),
  wholeObligationKey: text("whole_obligation_key"),
})
