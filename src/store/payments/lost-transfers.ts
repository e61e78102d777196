/** Payments of the hours that a restore lost: found on the chain, with no attempt in the database. */
import { and, asc, eq, gte, isNull } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { metaValue, putMeta } from "../meta.ts"

export interface LostTransfer {
  readonly chainId: number
  readonly txHash: string
  readonly logIndex: number
  /** Lower case. */
  readonly payer: string
  /** Atomic units. */
  readonly value: string
  /** Of the payer's authorization; null for a plain transfer. */
  readonly nonce: string | null
  /** RFC 3339. */
  readonly blockAt: string
}

/** How far the scan after one restore has come. */
export interface RestoreScan {
  /** RFC 3339. The restore. */
  readonly restored_at: string
  /** The first block that is not scanned yet. */
  readonly next_block: string
  /** RFC 3339. Null while the scan goes on. */
  readonly done_at: string | null
}

/** Null before the first scan. */
export function* restoreScan(): Unit<RestoreScan | null> {
  const value = yield* metaValue("restore_scan")
  return value === null ? null : (JSON.parse(value) as RestoreScan)
}

const insert = query((db, t) =>
  db
    .insert(t.lostTransfer)
    .values({
      chainId: bind("chainId"),
      txHash: bind("txHash"),
      logIndex: bind("logIndex"),
      payer: bind("payer"),
      value: bind("value"),
      nonce: bind("nonce"),
      blockAt: bind("blockAt"),
    })
    .onConflictDoNothing()
    .returning({ txHash: t.lostTransfer.txHash }),
)

/**
 * Records the transfers of the scanned blocks together with the progress, so that a crash repeats at most one range. Two processes may scan
 * the same range. Returns false, and writes nothing, when another process has come further.
 */
export function* recordScan(scan: RestoreScan, transfers: readonly LostTransfer[]): Unit<boolean> {
  const known = yield* restoreScan()
  const isBehind = known?.restored_at === scan.restored_at && BigInt(known.next_block) > BigInt(scan.next_block)
  if (isBehind || (known?.restored_at === scan.restored_at && known.done_at !== null)) return false
  for (const transfer of transfers) yield* rows(insert, { ...transfer })
  yield* putMeta("restore_scan", JSON.stringify(scan))
  return true
}

const unexplained = query((db, t) =>
  db
    .select({
      chainId: t.lostTransfer.chainId,
      txHash: t.lostTransfer.txHash,
      logIndex: t.lostTransfer.logIndex,
      payer: t.lostTransfer.payer,
      value: t.lostTransfer.value,
      nonce: t.lostTransfer.nonce,
      blockAt: t.lostTransfer.blockAt,
    })
    .from(t.lostTransfer)
    .leftJoin(
      t.paymentAttempt,
      and(
        eq(t.paymentAttempt.chainId, t.lostTransfer.chainId),
        eq(t.paymentAttempt.settledTx, t.lostTransfer.txHash),
        eq(t.paymentAttempt.settledLogIndex, t.lostTransfer.logIndex),
      ),
    )
    // The lower bound lets SQLite search the index.
    .where(and(gte(t.lostTransfer.blockAt, ""), isNull(t.paymentAttempt.id)))
    .orderBy(
      asc(t.lostTransfer.blockAt),
      asc(t.lostTransfer.txHash),
      asc(t.lostTransfer.logIndex),
      asc(t.lostTransfer.chainId),
    )
    .limit(1000),
)

/** Oldest first, at most 1,000. A transfer that an attempt explains is not among them. */
export function* lostTransfers(): Unit<LostTransfer[]> {
  return yield* rows(unexplained)
}
