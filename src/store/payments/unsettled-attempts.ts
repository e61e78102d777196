/**
 * The attempts behind a payer's unsettled value. The chain shows a transfer before this service concludes its attempt: then the balance and the
 * sum both lack its amount. So a payer who seems to have too little is judged by a block, with what each attempt had taken by then.
 */
import { and, asc, desc, eq, gte, sql } from "drizzle-orm"
import { textOrNull } from "../engine/expressions.ts"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { isUnsettled } from "./attempt-totals.ts"
import { type Attempt, findAttempt } from "./attempts.ts"
import type { PayerAccount } from "./unsettled-value.ts"

/**
 * CHOICE: at most so many attempts of one payer are compared with a block, and at most so many of its newest transfers. Each further attempt counts
 * as if it had taken nothing, and each further transfer as if the balance lacked its money.
 */
const COMPARED_MAX = 32

/**
 * By the index of what is SETTLING, whose lower bound lets SQLite search it. Chain and asset are compared later: with them SQLite would search the
 * index of nonces, which has every payment that the payer ever made.
 */
const settling = query((db, { paymentAttempt: t }) =>
  db
    .select({ id: t.id, chainId: t.chainId, asset: t.asset, nonce: t.nonce })
    .from(t)
    .where(and(eq(t.state, "SETTLING"), gte(t.updatedAt, ""), eq(t.payer, bind("payer"))))
    .orderBy(asc(t.updatedAt), asc(t.id))
    .limit(COMPARED_MAX),
)

/** The payer's attempts whose transfer may be in a block, longest SETTLING first, at most {@link COMPARED_MAX}. */
export function* settlingAttempts({ chainId, asset, payer }: PayerAccount): Unit<Pick<Attempt, "id" | "nonce">[]> {
  const open = yield* rows(settling, { payer })
  return open.filter((one) => one.chainId === chainId && one.asset === asset)
}

/**
 * What the payer's open attempts will take, and its newest transfers, each with its block. A transfer may be younger than the block that shows the
 * payer's balance, though its attempt has left the sum. No safe block is younger. One statement, because every payment needs both.
 */
const unpaid = query((db, { unsettledValue: sum, paymentAttempt: t }) => {
  const newest = db
    .select({ chainId: t.chainId, asset: t.asset, value: t.value, block: t.settledBlock })
    .from(t)
    .where(and(eq(t.finality, "INCLUDED"), eq(t.payer, bind("payer"))))
    .orderBy(desc(t.updatedAt), desc(t.id))
    .limit(COMPARED_MAX)
    .as("newest")
  return db
    .select({ chainId: sum.chainId, asset: sum.asset, value: sum.value, block: textOrNull(sql`null`) })
    .from(sum)
    .where(and(eq(sum.chainId, bind("chainId")), eq(sum.asset, bind("asset")), eq(sum.payer, bind("payer"))))
    .unionAll(
      db
        .select({
          chainId: newest.chainId,
          asset: newest.asset,
          value: newest.value,
          block: textOrNull(sql`${newest.block}`),
        })
        .from(newest),
    )
})

/**
 * What the payer's attempts take from its balance after `block`: those that are open, without the `taken` ones, and those whose transfer is in a
 * later block. `taken`: ids of attempts whose money had left by the block, or never will.
 */
export function* unpaidAt(account: PayerAccount, block: bigint, taken: readonly string[]): Unit<bigint> {
  let sum = 0n
  for (const { chainId, asset, value, block: paidIn } of yield* rows(unpaid, { ...account })) {
    const isOfAccount = chainId === account.chainId && asset === account.asset
    if (isOfAccount && (paidIn === null || BigInt(paidIn) > block)) sum += BigInt(value)
  }
  for (const id of taken) {
    const attempt = yield* findAttempt(id)
    if (attempt && isUnsettled(attempt.state)) sum -= BigInt(attempt.value)
  }
  return sum
}
