/** Which transfers of the chain this database knows. Reads only columns that every schema with payments has. */
import { and, asc, eq, gt } from "drizzle-orm"
import { bind, first, query, type Unit } from "../engine/unit.ts"
import { currentSettlement } from "./current-relayer.ts"

const byTransfer = query((db, { paymentAttempt: t }) =>
  db
    .select({ id: t.id })
    .from(t)
    .where(
      and(eq(t.chainId, bind("chainId")), eq(t.settledTx, bind("txHash")), eq(t.settledLogIndex, bind("logIndex"))),
    ),
)
const byAuthorization = query((db, { paymentAttempt: t }) =>
  db
    .select({ id: t.id })
    .from(t)
    .where(
      and(
        eq(t.chainId, bind("chainId")),
        eq(t.asset, bind("asset")),
        eq(t.payer, bind("payer")),
        eq(t.nonce, bind("nonce")),
      ),
    ),
)
const anyAttempt = query((db, { paymentAttempt: t }) =>
  db
    .select({ payTo: t.payTo })
    .from(t)
    .where(gt(t.chainId, 0))
    .orderBy(asc(t.chainId), asc(t.asset), asc(t.payer), asc(t.nonce))
    .limit(1),
)

export interface SeenTransfer {
  readonly chainId: number
  readonly asset: string
  readonly txHash: string
  readonly logIndex: number
  /** As the attempts name it: with the checksum of its letters. */
  readonly payer: string
  /** Of the authorization; null for another transfer. */
  readonly nonce: string | null
}

/** Whether an attempt names the transfer, or its authorization: then the attempt's end is still to come. */
export function* isTransferKnown({ chainId, asset, txHash, logIndex, payer, nonce }: SeenTransfer): Unit<boolean> {
  if (yield* first(byTransfer, { chainId, txHash, logIndex })) return true
  return nonce !== null && (yield* first(byAuthorization, { chainId, asset, payer, nonce })) !== undefined
}

/** Addresses to which this database took payments. Empty when it never took one and never had payments on. */
export function* payeesInUse(): Unit<string[]> {
  const attempt = yield* first(anyAttempt)
  const settlement = yield* currentSettlement()
  return [...new Set([attempt?.payTo, settlement?.payTo].filter((payTo) => payTo !== undefined))]
}
