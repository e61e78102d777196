/** Faults that a change might bring into the store on PostgreSQL. The simulation must find each one there; on SQLite they change nothing. */
import { type Mutant, mutant } from "../mutant.ts"

const STORE = "src/store/engine/postgres/postgres-store.ts"
const OUTCOMES = "src/store/engine/postgres/outcomes.ts"
const TRANSACTION = "src/store/engine/postgres/unit-transaction.ts"
const LOG = "src/store/log/sequenced-log.ts"

export const SERVER_MUTANTS: readonly Mutant[] = [
  mutant("lost_commit_counts", STORE, "a transaction whose COMMIT got no answer counts as committed", [
    "const isCommitted = await this.outcomes.ask(outcome)",
    "const isCommitted = true",
  ]),
  mutant(
    "outcome_by_inserted_row",
    OUTCOMES,
    "the outcome is judged by whether the question inserted its row",
    ["on conflict (id) do update set committed = unit_outcome.committed returning", "on conflict do nothing returning"],
    [
      'if (committed === "1") return { isCommitted: true }',
      "if (committed === undefined) return { isCommitted: true }",
    ],
  ),
  mutant("commit_refused_unnoticed", TRANSACTION, "a COMMIT that the server refuses counts as committed", [
    "      this.isUnknown = this.hasWritten && !isRefusedCommit(faultOf(error))\n      throw error",
    '      if (faultOf(error).kind !== "CONFLICT") throw error',
  ]),
  mutant("capsule_left_out", LOG, "a waiting capsule is removed without its leaf", [
    "  const start = yield* appendStatements(waiting)",
    "  const start = yield* appendStatements(waiting.slice(-1))",
  ]),
]
