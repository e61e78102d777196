/**
 * The attempts behind a payer's unsettled value. The chain shows a transfer before this service concludes its attempt: then the balance and the
 * sum both lack its amount. So a payer who seems to have too little is judged by a block, with what each attempt had taken by then.
 */
import { and, asc, eq, gte } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { isUnsettled } from "./attempt-totals.ts"
import { type Attempt, findAttempt } from "./attempts.ts"
import { type PayerAccount, unsettledValue } from "./unsettled-value.ts"

/** CHOICE: at most so many attempts of one payer are compared with a block. Each further one counts as if it had taken nothing. */
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

/** An attempt as one block shows it. `isTaken`: its money has left, or never will. */
export interface ComparedAttempt {
  readonly id: string
  readonly isTaken: boolean
}

/** What the payer's attempts will take from its balance at the block of `compared`. */
export function* unsettledAfter(account: PayerAccount, compared: readonly ComparedAttempt[]): Unit<bigint> {
  let sum = yield* unsettledValue(account)
  for (const { id, isTaken } of compared) {
    const attempt = yield* findAttempt(id)
    if (!attempt) continue
    const isInSum = isUnsettled(attempt.state)
    if (isInSum && isTaken) sum -= BigInt(attempt.value)
    // A later block has its transfer.
    if (attempt.state === "SETTLED" && !isTaken) sum += BigInt(attempt.value)
  }
  return sum
}
