/** What all wallets hold together. The unit that changes entries or kept answers also changes this one row. */
import { eq, sql } from "drizzle-orm"
import { bound, first, query, type Unit } from "../engine/unit.ts"

/**
 * CHOICE: all wallets together hold 1,000,000 entries, 4 GiB of documents and 2,000,000 answers, so that many agents cannot fill the disk.
 * What the caps of a day let in ends before it reaches them.
 */
const ALL_WALLETS_ENTRIES_MAX = 1_000_000
const ALL_WALLETS_DOCUMENT_BYTES_MAX = 4 * 1024 * 1024 * 1024
const ALL_WALLETS_ANSWERS_MAX = 2_000_000

export const WALLET_TOTAL_MAX: WalletTotal = {
  entries: ALL_WALLETS_ENTRIES_MAX,
  documentBytes: ALL_WALLETS_DOCUMENT_BYTES_MAX,
  answers: ALL_WALLETS_ANSWERS_MAX,
}

interface WalletTotal {
  readonly entries: number
  readonly documentBytes: number
  /** Answers that are kept for repetitions. */
  readonly answers: number
}

const total = query((db, { walletTotal: t }) =>
  db.select({ entries: t.entries, documentBytes: t.documentBytes, answers: t.answers }).from(t).where(eq(t.id, sql`1`)),
)

const change = query((db, { walletTotal: t }) =>
  db
    .update(t)
    .set({
      entries: sql`${t.entries} + ${bound("entries")}`,
      documentBytes: sql`${t.documentBytes} + ${bound("documentBytes")}`,
      answers: sql`${t.answers} + ${bound("answers")}`,
    })
    .where(eq(t.id, sql`1`))
    .returning({ id: t.id }),
)

export function* readWalletTotal(): Unit<WalletTotal> {
  const found = yield* first(total)
  if (!found) throw new Error("the database has no total of its wallets")
  return found
}

/** Adds to the sums; negative numbers take away. */
export function* changeWalletTotal({ entries = 0, documentBytes = 0, answers = 0 }: Partial<WalletTotal>): Unit<void> {
  if (!(yield* first(change, { entries, documentBytes, answers }))) {
    throw new Error("the database has no total of its wallets")
  }
}
