/** What payers' running attempts will take from their balances: one sum per payer, changed in the unit that moves an attempt. */
import { and, eq } from "drizzle-orm"
import { bind, bound, first, query, rows, type Turn, type Unit } from "../engine/unit.ts"

export interface PayerAccount {
  readonly chainId: number
  readonly asset: string
  readonly payer: string
}

const read = query((db, t) =>
  db
    .select({ value: t.unsettledValue.value })
    .from(t.unsettledValue)
    .where(
      and(
        eq(t.unsettledValue.chainId, bind("chainId")),
        eq(t.unsettledValue.asset, bind("asset")),
        eq(t.unsettledValue.payer, bind("payer")),
      ),
    ),
)
const put = query((db, t) =>
  db
    .insert(t.unsettledValue)
    .values({ chainId: bind("chainId"), asset: bind("asset"), payer: bind("payer"), value: bind("value") })
    .onConflictDoUpdate({
      target: [t.unsettledValue.chainId, t.unsettledValue.asset, t.unsettledValue.payer],
      set: { value: bound("value") },
    })
    .returning({ payer: t.unsettledValue.payer }),
)
const remove = query((db, t) =>
  db
    .delete(t.unsettledValue)
    .where(
      and(
        eq(t.unsettledValue.chainId, bind("chainId")),
        eq(t.unsettledValue.asset, bind("asset")),
        eq(t.unsettledValue.payer, bind("payer")),
      ),
    )
    .returning({ payer: t.unsettledValue.payer }),
)

/** For a unit that changes the sum of a payer. */
export function turnOfPayer(payer: string): Turn {
  return { turn: `payer ${payer}` }
}

/** What a payer's RESERVED, VERIFIED and SETTLING attempts will take from the balance, in the asset's smallest unit. */
export function* unsettledValue({ chainId, asset, payer }: PayerAccount): Unit<bigint> {
  return BigInt((yield* first(read, { chainId, asset, payer }))?.value ?? "0")
}

/** `by` is negative when an attempt ends. This is a sum and not a limit: a payer may have any number of open payments. */
export function* changeUnsettledValue({ chainId, asset, payer }: PayerAccount, by: bigint): Unit<void> {
  const value = (yield* unsettledValue({ chainId, asset, payer })) + by
  if (value < 0n) throw new Error("a payer's unsettled value fell below zero")
  if (value === 0n) yield* rows(remove, { chainId, asset, payer })
  else yield* rows(put, { chainId, asset, payer, value: String(value) })
}
