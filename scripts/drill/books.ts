/** The sums of a drill: the answers of buyers against rows, counts, leaves of the log and transfers of the chain. */
import { until } from "../../test/fixtures/until.ts"
import { DATABASE, type Pair } from "./pair.ts"

const COUNTS = {
  settled: "payment_attempt WHERE state = 'SETTLED'",
  delivered: "delivery",
  entitlements: "entitlement",
  acquired: "purchase WHERE state = 'ACQUIRED'",
  requests: "decision_request WHERE state = 'DELIVERED'",
  leavesOfDeliveries: "(SELECT DISTINCT log_index FROM delivery WHERE log_index IS NOT NULL) AS given",
  leaves: "log_leaf",
  open: "payment_attempt WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING')",
  owed: "payment_attempt WHERE state = 'PAID_OWED'",
  pendingLeaves: "log_pending",
} as const
const SUMS = {
  logSize: "SELECT tree_size FROM log_head",
  countedSettled: "SELECT sum(present) FROM attempt_count WHERE state = 'SETTLED'",
  countedOpen: "SELECT sum(present) FROM attempt_count WHERE state IN ('RESERVED', 'VERIFIED', 'SETTLING')",
  countedAnswers: "SELECT sum(answers) FROM decision_count",
} as const

export type Sums = Readonly<Record<keyof typeof COUNTS | keyof typeof SUMS | "transfers", number>>

const QUERY = `SELECT ${[
  ...Object.entries(COUNTS).map(([name, from]) => `(SELECT count(*) FROM ${from}) AS "${name}"`),
  ...Object.entries(SUMS).map(([name, query]) => `(${query}) AS "${name}"`),
].join(", ")}`

export async function sumsOf({ primary, operator }: Pick<Pair, "primary" | "operator">): Promise<Sums> {
  const [row = {}] = await primary.query(QUERY, DATABASE)
  const transfers = (await operator.transfers()).length
  return { ...(Object.fromEntries(Object.entries(row).map(([name, n]) => [name, Number(n)])) as Sums), transfers }
}

/** Waits until nothing is under way, and returns the sums. */
export async function quietSums(pair: Pick<Pair, "primary" | "operator">): Promise<Sums> {
  let sums = await sumsOf(pair)
  await until(
    "nothing is under way",
    async () => {
      sums = await sumsOf(pair)
      return sums.open === 0 && sums.pendingLeaves === 0
    },
    { everyMs: 100, withinMs: 30_000 },
  )
  return sums
}

interface AnswerCounts {
  /** Answers that buyers hold. */
  readonly answers: number
  /** How many of them are Payment Decisions. Only those leave an entitlement. */
  readonly decisions: number
}

/** What must be so when nothing is under way after so many `answers`. `before`: leaves of the log before the first sale. */
export function expectedSums({ answers, decisions }: AnswerCounts, before: number): Sums {
  return {
    settled: answers,
    delivered: answers,
    entitlements: decisions,
    acquired: answers,
    requests: answers,
    leavesOfDeliveries: answers,
    leaves: before + answers,
    open: 0,
    owed: 0,
    pendingLeaves: 0,
    logSize: before + answers,
    countedSettled: answers,
    countedOpen: 0,
    countedAnswers: answers,
    transfers: answers,
  }
}

/** Sales delivered after an instant of this machine's clock, in milliseconds; the first of them, or null. */
export async function firstSaleAfter({ primary }: Pick<Pair, "primary">, at: number): Promise<number | null> {
  const text = `SELECT min(delivered_at) AS first FROM delivery WHERE delivered_at > '${new Date(at).toISOString()}'`
  const first = (await primary.query(text, DATABASE))[0]?.["first"]
  return typeof first === "string" ? Date.parse(first) : null
}
