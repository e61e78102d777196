import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const decisionRequest = sqliteTable("decision_request", {
  id: text("id").primaryKey(),
  product: text("product").notNull(),
  scope: text("scope").notNull(),
  idempotencyKey: text("idempotency_key").notNull(),
  requestDigest: text("request_digest").notNull(),
  bodyDigest: text("body_digest").notNull(),
  rawBodyDigest: text("raw_body_digest"),
  requestJson: text("request_json").notNull(),
  organizationId: text("organization_id"),
  agentId: text("agent_id"),
  keyId: text("key_id"),
  delegationId: text("delegation_id"),
  mandateDelegationId: text("mandate_delegation_id"),
  amountMillionths: text("amount_millionths"),
  state: text("state", { enum: ["NEW", "COMPUTED", "DELIVERED"] }).notNull(),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
})

export const entitlement = sqliteTable("entitlement", {
  requestDigest: text("request_digest").primaryKey(),
  rail: text("rail", { enum: ["x402", "acp"] }).notNull(),
  requestId: text("request_id").notNull(),
  acquiredAt: text("acquired_at").notNull(),
})

export const purchase = sqliteTable("purchase", {
  id: text("id").primaryKey(),
  requestId: text("request_id").notNull(),
  rail: text("rail", { enum: ["x402", "acp"] }).notNull(),
  state: text("state", { enum: ["LIVE", "OWED", "ACQUIRED", "ENDED"] }).notNull(),
  reference: text("reference"),
  createdAt: text("created_at").notNull(),
})

export const paymentAttempt = sqliteTable("payment_attempt", {
  id: text("id").primaryKey(),
  requestId: text("request_id").notNull(),
  chainId: integer("chain_id").notNull(),
  asset: text("asset").notNull(),
  payer: text("payer").notNull(),
  nonce: text("nonce").notNull(),
  payTo: text("pay_to").notNull(),
  value: text("value").notNull(),
  validAfter: integer("valid_after").notNull(),
  validBefore: integer("valid_before").notNull(),
  maxTimeoutSeconds: integer("max_timeout_seconds").notNull(),
  quoteId: text("quote_id").notNull(),
  payloadJson: text("payload_json"),
  payloadSha256: text("payload_sha256").notNull(),
  payerHasCode: integer("payer_has_code").notNull(),
  payerCodeHash: text("payer_code_hash"),
  alreadyUsed: integer("already_used").notNull(),
  settler: text("settler", { enum: ["self", "http"] }).notNull(),
  state: text("state", {
    enum: ["RESERVED", "VERIFIED", "SETTLING", "SETTLED", "FAILED", "RELEASED", "PAID_OWED"],
  }).notNull(),
  reason: text("reason"),
  watched: integer("watched").notNull(),
  settledTx: text("settled_tx"),
  settledLogIndex: integer("settled_log_index"),
  settledBlock: text("settled_block"),
  settledBlockHash: text("settled_block_hash"),
  finality: text("finality", { enum: ["INCLUDED", "SAFE", "UNPAID_AFTER_REORG"] }),
  leaseOwner: text("lease_owner"),
  leaseUntil: text("lease_until"),
  lookAt: text("look_at"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
  usedBlock: integer("used_block"),
})

export const unsettledValue = sqliteTable(
  "unsettled_value",
  {
    chainId: integer("chain_id").notNull(),
    asset: text("asset").notNull(),
    payer: text("payer").notNull(),
    value: text("value").notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.asset, table.payer] })],
)

export const paymentEvent = sqliteTable("payment_event", {
  id: integer("id").primaryKey(),
  attemptId: text("attempt_id").notNull(),
  at: text("at").notNull(),
  fromState: text("from_state"),
  toState: text("to_state").notNull(),
  detail: text("detail").notNull(),
})

export const relayerNonce = sqliteTable("relayer_nonce", {
  relayer: text("relayer").notNull(),
  nonce: integer("nonce").notNull(),
  attemptId: text("attempt_id"),
  state: text("state", { enum: ["ALLOCATED", "STORED", "MINED"] }).notNull(),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
})

export const relayerTransaction = sqliteTable("relayer_transaction", {
  txHash: text("tx_hash").primaryKey(),
  relayer: text("relayer").notNull(),
  nonce: integer("nonce").notNull(),
  raw: text("raw").notNull(),
  maxFeeWei: text("max_fee_wei").notNull(),
  createdAt: text("created_at").notNull(),
})

export const burnedGas = sqliteTable("burned_gas", {
  codeHash: text("code_hash").notNull(),
  day: text("day").notNull(),
  wei: text("wei").notNull(),
})

export const delivery = sqliteTable("delivery", {
  requestId: text("request_id").primaryKey(),
  purchaseId: text("purchase_id").notNull(),
  answerId: text("decision_id").notNull(),
  deliveryReference: text("delivery_reference").notNull(),
  coreJson: text("core_json").notNull(),
  factsJson: text("facts_json").notNull(),
  capsuleJson: text("capsule_json").notNull(),
  capsuleDigest: text("capsule_digest").notNull(),
  keyId: text("key_id").notNull(),
  validUntil: text("valid_until").notNull(),
  computedAt: text("computed_at").notNull(),
  body: text("body"),
  responseDigest: text("response_digest"),
  paymentResponse: text("payment_response"),
  arrival: text("arrival", { enum: ["IN_TIME", "EXPIRED_ON_ARRIVAL"] }),
  deliveredAt: text("delivered_at"),
  logIndex: integer("log_index"),
  attachmentId: text("companion_id"),
  attachmentJson: text("companion_json"),
})

export const deliverySnapshot = sqliteTable("delivery_snapshot", {
  requestId: text("request_id").notNull(),
  snapshotId: text("snapshot_id").notNull(),
})

export const redelivery = sqliteTable("redelivery", {
  requestId: text("request_id").primaryKey(),
  scope: text("scope").notNull(),
  subject: text("subject").notNull(),
  until: text("until").notNull(),
  usedBy: text("used_by"),
})

export const authorityHold = sqliteTable("authority_hold", {
  ownerId: text("organization_id").notNull(),
  kind: text("kind", {
    enum: ["OBLIGATION", "MANDATE_ID", "MANDATE_NONCE", "CHALLENGE", "CHANGE_AUTHORIZATION", "SUPPLIER"],
  }).notNull(),
  value: text("value").notNull(),
  requestId: text("request_id").notNull(),
  spent: integer("spent").notNull(),
  hasAttempt: integer("has_attempt").notNull(),
})

export const authorizationRecord = sqliteTable("authorization_record", {
  requestId: text("request_id").primaryKey(),
  organizationId: text("organization_id").notNull(),
  supplierKey: text("supplier_key").notNull(),
  supplierEntityId: text("supplier_entity_id").notNull(),
  supplierNameKey: text("supplier_name_key").notNull(),
  obligationKey: text("obligation_key").notNull(),
  documentDigest: text("document_digest").notNull(),
  instructionDigest: text("instruction_digest").notNull(),
  payeeFingerprint: text("payee_fingerprint").notNull(),
  destinationFingerprint: text("destination_fingerprint").notNull(),
  mandateKeyId: text("mandate_key_id").notNull(),
  decision: text("decision").notNull(),
  decisionId: text("decision_id").notNull(),
  responseDigest: text("response_digest").notNull(),
  decidedAt: text("decided_at").notNull(),
  validUntil: text("valid_until").notNull(),
  supplierId: text("supplier_id"),
  wholeObligationKey: text("whole_obligation_key"),
})
