import { integer, primaryKey, sqliteTable, text, unique } from "drizzle-orm/sqlite-core"

export const organization = sqliteTable("organization", {
  organizationId: text("organization_id").primaryKey(),
  legalName: text("legal_name").notNull(),
  organizationDigest: text("organization_digest").notNull(),
  tolerance: text("tolerance", { enum: ["LOW", "MEDIUM", "HIGH"] }).notNull(),
  verificationMethod: text("verification_method").notNull(),
  verificationReference: text("verification_reference").notNull(),
  verifiedAt: text("verified_at").notNull(),
  validUntil: text("valid_until").notNull(),
  verifiedBy: text("verified_by").notNull(),
  state: text("state", { enum: ["ACTIVE", "REVOKED"] }).notNull(),
  addedAt: text("added_at").notNull(),
  revokedAt: text("revoked_at"),
  revocationReason: text("revocation_reason"),
})

export const mandateKey = sqliteTable(
  "mandate_key",
  {
    organizationId: text("organization_id").notNull(),
    keyId: text("key_id").notNull(),
    x: text("x").notNull(),
    keyOwner: text("key_owner").notNull().unique(),
    state: text("state", { enum: ["ACTIVE", "REVOKED"] }).notNull(),
    addedAt: text("added_at").notNull(),
    revokedAt: text("revoked_at"),
    revokedSince: text("revoked_since"),
    revocationReason: text("revocation_reason"),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.keyId] })],
)

export const delegation = sqliteTable(
  "delegation",
  {
    delegationId: text("delegation_id").primaryKey(),
    organizationId: text("organization_id").notNull(),
    agentId: text("agent_id").notNull(),
    keyId: text("key_id").notNull(),
    keyOwner: text("key_owner").notNull(),
    scope: text("scope").notNull(),
    permittedIntents: text("permitted_intents").notNull(),
    maxPaymentAmount: text("max_payment_amount").notNull(),
    maxTotalAmount: text("max_total_amount"),
    maxRequestsPerDay: integer("max_requests_per_day"),
    currency: text("currency").notNull(),
    validFrom: text("valid_from").notNull(),
    validUntil: text("valid_until").notNull(),
    nonce: text("nonce").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    contentDigest: text("content_digest").notNull(),
    document: text("document").notNull(),
    answer: text("answer").notNull(),
    signedByKeyId: text("signed_by_key_id").notNull(),
    state: text("state", { enum: ["ACTIVE", "REVOKED"] }).notNull(),
    recordedAt: text("recorded_at").notNull(),
    revokedAt: text("revoked_at"),
  },
  (table) => [unique().on(table.organizationId, table.nonce), unique().on(table.organizationId, table.idempotencyKey)],
)

export const buyerRevocation = sqliteTable(
  "buyer_revocation",
  {
    organizationId: text("organization_id").notNull(),
    kind: text("kind", { enum: ["DELEGATION", "MANDATE"] }).notNull(),
    subjectId: text("subject_id").notNull(),
    contentDigest: text("content_digest").notNull(),
    document: text("document").notNull(),
    answer: text("answer").notNull(),
    signedByKeyId: text("signed_by_key_id").notNull(),
    revokedAt: text("revoked_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.kind, table.subjectId] })],
)
