import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const authorizationToken = sqliteTable("authorization_token", {
  tokenHash: text("token_hash").primaryKey(),
  requestId: text("request_id").notNull(),
  executionId: text("execution_id").notNull(),
  product: text("product").notNull(),
  country: text("country", { enum: ["GB", "US"] }).notNull(),
  kind: text("kind", { enum: ["PAYMENT", "VENDOR_CHANGE"] }).notNull(),
  bindingJson: text("binding_json").notNull(),
  wallet: text("wallet").notNull(),
  evidenceReference: text("evidence_reference").notNull(),
  issuedAt: text("issued_at").notNull(),
  expiresAt: text("expires_at").notNull(),
  state: text("state", { enum: ["ISSUED", "SPENT", "REVOKED", "EXPIRED"] }).notNull(),
  changedAt: text("changed_at"),
  idempotencyKey: text("idempotency_key"),
  requestDigest: text("request_digest"),
  revocationReason: text("revocation_reason", {
    enum: ["CHANGE_WITHDRAWN", "FRAUD_SUSPECTED", "TOKEN_EXPOSED", "SUPERSEDED", "UNSPECIFIED"],
  }),
  spentBy: text("spent_by"),
})

export const spentChange = sqliteTable(
  "spent_change",
  {
    organizationId: text("organization_id").notNull(),
    supplierId: text("supplier_id").notNull(),
    changedAt: text("changed_at").notNull(),
    executionId: text("execution_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.supplierId, table.changedAt, table.executionId] })],
)
