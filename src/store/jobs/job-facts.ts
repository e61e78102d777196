/** What the chain showed about a job: append-only. */
import { eq } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"

export type FactName = "FUNDING" | "SUBMISSION" | "COMPLETION" | "PAYOUT" | "REFUND" | "REJECTION" | "EXPIRY"
export type FactLevel = "LATEST" | "SAFE" | "FINALIZED" | "ORPHANED"

/** Numbers in decimal digits, addresses in lower case. Members about money are null where none moves. */
export interface FactRow {
  readonly job: string
  readonly fact: FactName
  readonly level: FactLevel
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: string
  readonly blockHash: string
  readonly token: string | null
  readonly fromAddress: string | null
  readonly toAddress: string | null
  readonly amountAtomic: string | null
  /** What a submission put on the chain. */
  readonly deliverableHash: string | null
  readonly observedAt: string
}

const insert = query((db, t) =>
  db
    .insert(t.acpFact)
    .values({
      job: bind("job"),
      fact: bind("fact"),
      level: bind("level"),
      txHash: bind("txHash"),
      logIndex: bind("logIndex"),
      blockNumber: bind("blockNumber"),
      blockHash: bind("blockHash"),
      token: bind("token"),
      fromAddress: bind("fromAddress"),
      toAddress: bind("toAddress"),
      amountAtomic: bind("amountAtomic"),
      deliverableHash: bind("deliverableHash"),
      observedAt: bind("observedAt"),
    })
    .onConflictDoNothing()
    .returning({ id: t.acpFact.id }),
)

/** A fact that is stored at this level in this block is not stored again. */
export function* recordFact(fact: FactRow): Unit<void> {
  yield* rows(insert, { ...fact })
}

/** Limit of facts that are read of one job. */
const FACTS_MAX = 200
const ofJob = query((db, t) =>
  db
    .select()
    .from(t.acpFact)
    .where(eq(t.acpFact.job, bind("job")))
    .orderBy(t.acpFact.id)
    .limit(FACTS_MAX),
)

/** Oldest first. */
export function* jobFacts(job: string): Unit<FactRow[]> {
  return yield* rows(ofJob, { job })
}
