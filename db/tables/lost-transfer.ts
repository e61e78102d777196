import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core"

export const lostTransfer = sqliteTable(
  "lost_transfer",
  {
    chainId: integer("chain_id").notNull(),
    txHash: text("tx_hash").notNull(),
    logIndex: integer("log_index").notNull(),
    payer: text("payer").notNull(),
    value: text("value").notNull(),
    nonce: text("nonce"),
    blockAt: text("block_at").notNull(),
  },
  (t) => [primaryKey({ columns: [t.chainId, t.txHash, t.logIndex] })],
)
