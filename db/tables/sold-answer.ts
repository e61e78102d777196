import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

/** What both tables know of a sold answer. */
const sold = () => ({
  soldAt: text("sold_at").notNull(),
  product: text("product").notNull(),
  decision: text("decision").notNull(),
  payer: text("payer").notNull(),
  tx: text("tx").notNull(),
  answerId: text("answer_id").notNull(),
  deliveryReference: text("delivery_reference").notNull(),
  supplier: text("supplier").notNull(),
})

export const soldWaiting = sqliteTable("sold_waiting", {
  requestId: text("request_id").primaryKey(),
  ...sold(),
  partyKeys: text("party_keys").notNull(),
})

export const soldAnswer = sqliteTable("sold_answer", {
  seq: integer("seq").primaryKey(),
  requestId: text("request_id").notNull(),
  ...sold(),
  listed: integer("listed").notNull(),
})

export const soldParty = sqliteTable(
  "sold_party",
  {
    partyKey: text("party_key").notNull(),
    soldAt: text("sold_at").notNull(),
    seq: integer("seq").notNull(),
  },
  (table) => [primaryKey({ columns: [table.partyKey, table.soldAt, table.seq] })],
)

export const soldFill = sqliteTable("sold_fill", {
  id: text("id", { enum: ["DELIVERIES"] }).primaryKey(),
  filledTo: text("filled_to").notNull(),
})
