import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const acpJob = sqliteTable("acp_job", {
  id: text("id").primaryKey(),
  chainId: integer("chain_id").notNull(),
  contract: text("contract").notNull(),
  jobId: text("job_id").notNull(),
  client: text("client").notNull(),
  provider: text("provider").notNull(),
  evaluator: text("evaluator").notNull(),
  hook: text("hook").notNull(),
  expiredAt: integer("expired_at").notNull(),
  createdBlock: text("created_block").notNull(),
  state: text("state", {
    enum: [
      "SEEN",
      "AWAITING_REQUIREMENT",
      "REQUIREMENT_VERIFIED",
      "BUDGET_PREPARED",
      "BUDGET_PROPOSED",
      "FUNDING_SEEN",
      "FUNDING_SAFE",
      "DECISION_READY",
      "DELIVERABLE_FROZEN",
      "DELIVERABLE_POSTED",
      "SUBMIT_PREPARED",
      "SUBMITTED",
      "SUBMITTED_SAFE",
      "COMPLETED",
      "REJECTED",
      "EXPIRED",
      "REFUSED",
      "WITHDRAWN",
      "DEADLINE_MISSED",
      "FUNDING_MISMATCH",
      "SUBMIT_MISMATCH",
      "UNPAID_AFTER_DELIVERY",
    ],
  }).notNull(),
  reason: text("reason"),
  requestId: text("request_id"),
  requirementJson: text("requirement_json"),
  requirementDigest: text("requirement_digest"),
  bindingDigest: text("binding_digest"),
  fundingJson: text("funding_json"),
  leaseOwner: text("lease_owner"),
  lookAt: text("look_at"),
  createdAt: text("created_at").notNull(),
  updatedAt: text("updated_at").notNull(),
  replacedAt: text("replaced_at"),
})

export const acpEvent = sqliteTable("acp_event", {
  id: integer("id").primaryKey(),
  job: text("job").notNull(),
  at: text("at").notNull(),
  fromState: text("from_state"),
  toState: text("to_state").notNull(),
  detail: text("detail").notNull(),
})

export const acpEntry = sqliteTable(
  "acp_entry",
  {
    job: text("job").notNull(),
    entryKey: text("entry_key").notNull(),
    receivedAt: text("received_at").notNull(),
    verdict: text("verdict", { enum: ["DRAFT", "ACCEPTED", "IGNORED", "REFUSED", "SERVED_AGAIN"] }).notNull(),
    code: text("code"),
  },
  (table) => [primaryKey({ columns: [table.job, table.entryKey] })],
)

export const acpNotice = sqliteTable(
  "acp_notice",
  {
    job: text("job").notNull(),
    code: text("code").notNull(),
    text: text("text").notNull(),
    createdAt: text("created_at").notNull(),
    postedAt: text("posted_at"),
  },
  (table) => [primaryKey({ columns: [table.job, table.code] })],
)

export const acpAction = sqliteTable(
  "acp_action",
  {
    job: text("job").notNull(),
    action: text("action", { enum: ["SET_BUDGET", "SUBMIT"] }).notNull(),
    wallet: text("wallet").notNull(),
    nonce: integer("nonce").notNull(),
    state: text("state", { enum: ["OPEN", "SAFE", "REVERTED"] }).notNull(),
    createdAt: text("created_at").notNull(),
    updatedAt: text("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.action] })],
)

export const acpTransaction = sqliteTable("acp_transaction", {
  txHash: text("tx_hash").primaryKey(),
  job: text("job").notNull(),
  action: text("action", { enum: ["SET_BUDGET", "SUBMIT"] }).notNull(),
  nonce: integer("nonce").notNull(),
  raw: text("raw").notNull(),
  maxFeeWei: text("max_fee_wei").notNull(),
  createdAt: text("created_at").notNull(),
})

export const acpDeliverable = sqliteTable("acp_deliverable", {
  job: text("job").primaryKey(),
  text: text("text").notNull(),
  sha256: text("sha256").notNull(),
  keccak256: text("keccak256").notNull(),
  createdAt: text("created_at").notNull(),
  postedAt: text("posted_at"),
})

export const acpFact = sqliteTable("acp_fact", {
  id: integer("id").primaryKey(),
  job: text("job").notNull(),
  fact: text("fact", {
    enum: ["FUNDING", "SUBMISSION", "COMPLETION", "PAYOUT", "REFUND", "REJECTION", "EXPIRY"],
  }).notNull(),
  level: text("level", { enum: ["LATEST", "SAFE", "FINALIZED", "ORPHANED"] }).notNull(),
  txHash: text("tx_hash").notNull(),
  logIndex: integer("log_index").notNull(),
  blockNumber: text("block_number").notNull(),
  blockHash: text("block_hash").notNull(),
  token: text("token"),
  fromAddress: text("from_address"),
  toAddress: text("to_address"),
  amountAtomic: text("amount_atomic"),
  deliverableHash: text("deliverable_hash"),
  observedAt: text("observed_at").notNull(),
})

export const acpCursor = sqliteTable(
  "acp_cursor",
  {
    contract: text("contract").notNull(),
    provider: text("provider").notNull(),
    blockNumber: text("block_number").notNull(),
    updatedAt: text("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.contract, table.provider] })],
)

export const acpSwitch = sqliteTable("acp_switch", {
  id: integer("id").primaryKey(),
  at: text("at").notNull(),
  action: text("action", { enum: ["PAUSE", "RESUME"] }).notNull(),
  reason: text("reason").notNull(),
})

export const acpLook = sqliteTable("acp_look", {
  owner: text("owner").primaryKey(),
  at: text("at").notNull(),
  provider: text("provider").notNull(),
  reasons: text("reasons").notNull(),
  platformFeeBp: integer("platform_fee_bp"),
  evaluatorFeeBp: integer("evaluator_fee_bp"),
  balanceWei: text("balance_wei"),
})
