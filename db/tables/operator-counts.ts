import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const attemptCount = sqliteTable("attempt_count", {
  state: text("state", {
    enum: ["RESERVED", "VERIFIED", "SETTLING", "SETTLED", "FAILED", "RELEASED", "PAID_OWED"],
  }).primaryKey(),
  entered: integer("entered").notNull(),
  present: integer("present").notNull(),
})

export const decisionCount = sqliteTable(
  "decision_count",
  {
    product: text("product").notNull(),
    decision: text("decision").notNull(),
    answers: integer("answers").notNull(),
  },
  (table) => [primaryKey({ columns: [table.product, table.decision] })],
)
