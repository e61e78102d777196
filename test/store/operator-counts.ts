/** Counts recomputed from the rows that they count. The stored counts must equal them. */
import type { Database } from "bun:sqlite"
import type { AttemptCount } from "../../src/store/payments/attempt-counts.ts"
import type { DecisionCount } from "../../src/store/sales/decision-counts.ts"

export interface OperatorCounts {
  /** States that an attempt was ever in. */
  readonly attempts: readonly AttemptCount[]
  readonly decisions: readonly DecisionCount[]
}

export function countsOverRows(database: Database): OperatorCounts {
  return {
    attempts: database
      .query<AttemptCount, []>(
        `SELECT e.to_state AS state, count(*) AS entered,
           (SELECT count(*) FROM payment_attempt a WHERE a.state = e.to_state) AS present
         FROM payment_event e WHERE e.from_state IS NOT e.to_state GROUP BY e.to_state ORDER BY 1`,
      )
      .all(),
    decisions: database
      .query<DecisionCount, []>(
        `SELECT r.product, json_extract(d.body, '$.decision') AS decision, count(*) AS answers
         FROM delivery d JOIN decision_request r ON r.id = d.request_id WHERE d.body IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
      )
      .all(),
  }
}

export function keptCounts(database: Database): OperatorCounts {
  return {
    attempts: database
      .query<AttemptCount, []>(
        "SELECT state, sum(entered) AS entered, sum(present) AS present FROM attempt_count GROUP BY state HAVING sum(entered) > 0 ORDER BY state",
      )
      .all(),
    decisions: database
      .query<DecisionCount, []>(
        "SELECT product, decision, sum(answers) AS answers FROM decision_count GROUP BY 1, 2 ORDER BY 1, 2",
      )
      .all(),
  }
}
