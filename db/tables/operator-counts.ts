import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const attemptCount = sqliteTable(
  "attempt_count",
  {
    state: text("state", {
      enum: ["RESERVED", "VERIFIED", "SETTLING", "SETTLED", "FAILED", "RELEASED", "PAID_OWED"],
    }).notNull(),
    slot: integer("slot").notNull(),
    entered: integer("entered").notNull(),
    present: integer("present").notNull(),
  },
  (table) => [primaryKey({ columns: [table.state, table.slot] })],
)

export const decisionCount = sqliteTable(
  "decision_count",
  {
    product: text("product").notNull(),
    decision: text("decision").notNull(),
    slot: integer("slot").notNull(),
    answers: integer("answers").notNull(),
  },
  (table) => [primaryKey({ columns: [table.product, table.decision, table.slot] })],
)
