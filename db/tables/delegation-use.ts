import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const delegationTotal = sqliteTable("delegation_total", {
  delegationId: text("delegation_id").primaryKey(),
  millionths: text("millionths").notNull(),
})

export const delegationDay = sqliteTable(
  "delegation_day",
  {
    delegationId: text("delegation_id").notNull(),
    day: text("day").notNull(),
    requests: integer("requests").notNull(),
  },
  (table) => [primaryKey({ columns: [table.delegationId, table.day] })],
)
