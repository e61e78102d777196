import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const reviewCase = sqliteTable("review_case", {
  caseNumber: integer("case_number").primaryKey(),
  requestId: text("request_id").notNull(),
  openedAt: text("opened_at").notNull(),
  product: text("product").notNull(),
  permission: text("permission").notNull(),
  decision: text("decision").notNull(),
  code: text("code").notNull(),
  currency: text("currency"),
  amount: text("amount"),
  amountOrder: text("amount_order").notNull(),
  scorePermille: integer("score_permille").notNull(),
  supplier: text("supplier").notNull(),
  payer: text("payer").notNull(),
  organizationId: text("organization_id"),
  groupKey: text("group_key").notNull(),
  state: text("state", { enum: ["OPEN", "PROPOSED", "DECIDED", "CLOSED"] }).notNull(),
  assignee: text("assignee"),
})

export const reviewCount = sqliteTable(
  "review_count",
  {
    product: text("product").notNull(),
    state: text("state", { enum: ["OPEN", "PROPOSED", "DECIDED", "CLOSED"] }).notNull(),
    cases: integer("cases").notNull(),
  },
  (table) => [primaryKey({ columns: [table.product, table.state] })],
)

export const reviewFill = sqliteTable("review_fill", {
  id: text("id", { enum: ["CASES"] }).primaryKey(),
  filledTo: integer("filled_to").notNull(),
})

export const reviewer = sqliteTable("reviewer", {
  reviewerId: text("reviewer_id").primaryKey(),
  name: text("name").notNull(),
  recusals: text("recusals").notNull(),
  breakGlass: text("break_glass"),
  addedAt: text("added_at").notNull(),
})

export const reviewerKey = sqliteTable("reviewer_key", {
  keyId: text("key_id").primaryKey(),
  reviewerId: text("reviewer_id").notNull(),
  credentialId: text("credential_id").notNull(),
  publicKey: text("public_key").notNull(),
  algorithm: integer("algorithm").notNull(),
  counter: integer("counter").notNull(),
  state: text("state", { enum: ["PENDING", "ACTIVE", "REVOKED"] }).notNull(),
  recusals: text("recusals").notNull(),
  enrolledAt: text("enrolled_at").notNull(),
  breakGlass: text("break_glass"),
})

export const reviewRecord = sqliteTable("review_record", {
  sequence: integer("sequence").primaryKey(),
  digest: text("digest").notNull(),
  entryDigest: text("entry_digest").notNull(),
  previousEntry: text("previous_entry"),
  caseNumber: integer("case_number").notNull(),
  effect: text("effect", { enum: ["RECORDED", "OPENED", "COUNTED", "EFFECTIVE", "ENDED"] }).notNull(),
  answers: text("answers").notNull(),
  document: text("document").notNull(),
  assertion: text("assertion"),
  subject: text("subject"),
  reason: text("reason"),
  judged: text("judged"),
  logIndex: integer("log_index").notNull(),
})

export const reviewPolicy = sqliteTable("review_policy", {
  sequence: integer("sequence").primaryKey(),
  persons: integer("persons").notNull(),
  ofPersons: integer("of_persons").notNull(),
})

export const reviewJudgement = sqliteTable("review_judgement", {
  recordDigest: text("record_digest").primaryKey(),
  caseNumber: integer("case_number").notNull(),
  suppressionId: text("suppression_id").notNull(),
})

export const reviewDocument = sqliteTable("review_document", {
  digest: text("digest").primaryKey(),
  document: text("document").notNull(),
})

export const reviewLink = sqliteTable("review_link", {
  linkHash: text("link_hash").primaryKey(),
  reviewerId: text("reviewer_id").notNull(),
  createdAt: text("created_at").notNull(),
  expiresAt: text("expires_at").notNull(),
})

export const reviewSession = sqliteTable("review_session", {
  sessionHash: text("session_hash").primaryKey(),
  reviewerId: text("reviewer_id").notNull(),
  keyId: text("key_id"),
  createdAt: text("created_at").notNull(),
  idleAt: text("idle_at").notNull(),
  expiresAt: text("expires_at").notNull(),
})

export const reviewChallenge = sqliteTable("review_challenge", {
  challenge: text("challenge").primaryKey(),
  sessionHash: text("session_hash").notNull(),
  purpose: text("purpose").notNull(),
  createdAt: text("created_at").notNull(),
  expiresAt: text("expires_at").notNull(),
})
