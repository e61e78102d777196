/** Counts recomputed from the rows that they count. The stored counts must equal them. */
import type { AttemptCount } from "../../src/store/payments/attempt-counts.ts"
import type { DecisionCount } from "../../src/store/sales/decision-counts.ts"
import type { Beside } from "../fixtures/test-database.ts"

export interface OperatorCounts {
  /** States that an attempt was ever in. */
  readonly attempts: readonly AttemptCount[]
  readonly decisions: readonly DecisionCount[]
}

export async function countsOverRows({ rows }: Pick<Beside, "rows">): Promise<OperatorCounts> {
  const [attempts, delivered] = await Promise.all([
    rows<AttemptCount>(
      `SELECT e.to_state AS state, count(*) AS entered,
         (SELECT count(*) FROM payment_attempt a WHERE a.state = e.to_state) AS present
       FROM payment_event e WHERE e.from_state IS DISTINCT FROM e.to_state GROUP BY e.to_state ORDER BY 1`,
    ),
    rows<{ product: string; body: string }>(
      `SELECT r.product, d.body FROM delivery d JOIN decision_request r ON r.id = d.request_id
       WHERE d.body IS NOT NULL ORDER BY r.product`,
    ),
  ])
  return { attempts, decisions: decisionsOf(delivered) }
}

function decisionsOf(delivered: readonly { product: string; body: string }[]): DecisionCount[] {
  const keys = delivered.map(({ product, body }) => `${product} ${(JSON.parse(body) as DecisionCount).decision}`)
  return [...new Set(keys)].toSorted().map((key) => {
    const [product = "", decision = ""] = key.split(" ")
    return { product, decision, answers: keys.filter((one) => one === key).length }
  })
}

export async function keptCounts({ rows }: Pick<Beside, "rows">): Promise<OperatorCounts> {
  const [attempts, decisions] = await Promise.all([
    rows<AttemptCount>(
      "SELECT state, sum(entered) AS entered, sum(present) AS present FROM attempt_count GROUP BY state HAVING sum(entered) > 0 ORDER BY state",
    ),
    rows<DecisionCount>(
      "SELECT product, decision, sum(answers) AS answers FROM decision_count GROUP BY 1, 2 ORDER BY 1, 2",
    ),
  ])
  return { attempts, decisions }
}
