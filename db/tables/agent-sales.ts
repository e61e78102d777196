import { blob, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const agentMessage = sqliteTable("agent_message", {
  id: integer("id").primaryKey(),
  agentId: text("agent_id").notNull(),
  domain: text("domain").notNull(),
  requestDigest: text("request_digest").notNull(),
  response: text("response").notNull(),
  expiresAt: text("expires_at").notNull(),
  keyMark: blob("key_mark", { mode: "buffer" }).notNull(),
  nonceMark: blob("nonce_mark", { mode: "buffer" }).notNull(),
  eventMark: blob("event_mark", { mode: "buffer" }),
})

export const agentMessageMark = sqliteTable("agent_message_mark", {
  mark: blob("mark", { mode: "buffer" }).primaryKey(),
  messageId: integer("message_id").notNull(),
})

export const salesSwitch = sqliteTable("sales_switch", {
  id: integer("id").primaryKey(),
  at: text("at").notNull(),
  scope: text("scope").notNull(),
  action: text("action", { enum: ["STOP", "START", "WINDOW"] }).notNull(),
  opens: text("opens"),
  closes: text("closes"),
  reason: text("reason").notNull(),
})

export const salesOptOut = sqliteTable("sales_opt_out", {
  id: integer("id").primaryKey(),
  agentId: text("agent_id").notNull(),
  scope: text("scope", { enum: ["ALL", "PRODUCT", "CHANNEL"] }).notNull(),
  value: text("value").notNull(),
  action: text("action", { enum: ["OPT_OUT", "OPT_IN"] }).notNull(),
  effectiveAt: text("effective_at").notNull(),
  requestDigest: text("request_digest").notNull(),
})

export const salesDialogue = sqliteTable(
  "sales_dialogue",
  {
    agentId: text("agent_id").notNull(),
    dialogueId: text("dialogue_id").notNull(),
    turn: integer("turn").notNull(),
    lastDigest: text("last_digest").notNull(),
    lastOffers: text("last_offers").notNull(),
    endsAt: text("ends_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.dialogueId] })],
)

export const salesOffer = sqliteTable("sales_offer", {
  offerCapsuleId: text("offer_capsule_id").primaryKey(),
  agentId: text("agent_id").notNull(),
  productId: text("product_id").notNull(),
  presentations: integer("presentations").notNull(),
  state: text("state", { enum: ["QUEUED", "RETRYING", "DELIVERED"] }).notNull(),
  capsule: text("capsule").notNull(),
  validUntil: text("valid_until").notNull(),
})

export const beaconConsent = sqliteTable(
  "beacon_consent",
  {
    agentId: text("agent_id").notNull(),
    consentId: text("consent_id").notNull(),
    terms: text("terms").notNull(),
    requestDigest: text("request_digest").notNull(),
    grantedAt: text("granted_at").notNull(),
    validUntil: text("valid_until").notNull(),
    revokedAt: text("revoked_at"),
    endedAt: text("ended_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.consentId] })],
)

export const beaconConsentDay = sqliteTable(
  "beacon_consent_day",
  {
    agentId: text("agent_id").notNull(),
    consentId: text("consent_id").notNull(),
    day: text("day").notNull(),
    events: integer("events").notNull(),
  },
  (table) => [primaryKey({ columns: [table.agentId, table.consentId, table.day] })],
)

export const beaconCount = sqliteTable(
  "beacon_count",
  {
    day: text("day").notNull(),
    eventKind: text("event_kind").notNull(),
    productId: text("product_id").notNull(),
    channel: text("channel").notNull(),
    slot: integer("slot").notNull(),
    events: integer("events").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.eventKind, table.productId, table.channel, table.slot] })],
)
