import { sqliteTable, text } from "drizzle-orm/sqlite-core"

export const serviceIdentity = sqliteTable("service_identity", {
  use: text("use", { enum: ["statement", "log", "sandbox"] }).primaryKey(),
  agentId: text("agent_id").notNull(),
})
