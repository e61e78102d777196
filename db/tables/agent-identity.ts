import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const agent = sqliteTable("agent", {
  agentId: text("agent_id").primaryKey(),
  identityStatus: text("identity_status", { enum: ["ACTIVE", "REVOKED"] }).notNull(),
  sequence: integer("sequence").notNull(),
  headEventDigest: text("head_event_digest").notNull(),
  headAcceptedAt: text("head_accepted_at").notNull(),
  nextOperationalKeyDigest: text("next_operational_key_digest"),
  lastRoutineRotationAt: text("last_routine_rotation_at"),
})

export const agentKey = sqliteTable("agent_key", {
  keyId: text("key_id").primaryKey(),
  agentId: text("agent_id").notNull(),
  role: text("role", { enum: ["OPERATIONAL", "RECOVERY"] }).notNull(),
  x: text("x").notNull(),
  scalarOwner: text("scalar_owner").notNull(),
  status: text("status", { enum: ["ACTIVE", "ROTATED", "REVOKED"] }).notNull(),
  since: text("since").notNull(),
  until: text("until"),
  successorKeyId: text("successor_key_id"),
  compromisedSince: text("compromised_since"),
})

export const agentEvent = sqliteTable(
  "agent_event",
  {
    agentId: text("agent_id").notNull(),
    sequence: integer("sequence").notNull(),
    eventDigest: text("event_digest").notNull(),
    challengeId: text("challenge_id").notNull(),
    eventJson: text("event_json").notNull(),
    signaturesJson: text("signatures_json").notNull(),
    receiptJson: text("receipt_json").notNull(),
    acceptedAt: text("accepted_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.sequence] })],
)

export const agentChallenge = sqliteTable("agent_challenge", {
  challengeId: text("challenge_id").primaryKey(),
  state: text("state", { enum: ["ISSUED", "CONSUMED", "SUPERSEDED", "LOCKED"] }).notNull(),
  client: text("client"),
  eventJson: text("event_json").notNull(),
  challengeDigest: text("challenge_digest").notNull(),
  badProofs: integer("bad_proofs").notNull(),
  issuedAt: text("issued_at").notNull(),
  expiresAt: text("expires_at").notNull(),
  proofDigest: text("proof_digest"),
  resultJson: text("result_json"),
  agentId: text("agent_id"),
  parameterDigest: text("parameter_digest"),
  requestedBy: text("asked_by"),
})
