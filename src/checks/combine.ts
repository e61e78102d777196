import type { CheckExecuted, CheckWaived, GateOutcome } from "../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../schemas/us/payment-decision.ts"
import { GATES, type GateResult } from "./gate.ts"
import { type Policy, type PolicyReason, reasonsFor } from "./policy.ts"

/** Any BLOCK, else any HOLD, else any INCONCLUSIVE, else any CONDITION, else PASS. */
const WORST_FIRST = ["BLOCK", "HOLD", "INCONCLUSIVE", "CONDITION"] as const satisfies readonly GateOutcome[]

export interface Combined {
  readonly outcome: GateOutcome
  /** Rows that fired, PASS ones included, in policy order. */
  readonly reasons: readonly PolicyReason[]
  readonly executed: readonly CheckExecuted[]
  readonly waived: readonly CheckWaived[]
  readonly limitations: readonly string[]
}

export function worstOutcome(outcomes: readonly GateOutcome[]): GateOutcome {
  return WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? "PASS"
}

/** Gates in, one outcome out, with one entry for every gate that ran or was waived. */
export function combineGates(policy: Policy<unknown>, tolerance: Tolerance, gates: readonly GateResult[]): Combined {
  const reasons = reasonsFor(policy, tolerance, new Set(gates.flatMap((gate) => gate.codes)))
  const executed = gates
    .filter((gate) => gate.waived === null)
    .map((gate) =>
      executedCheck(
        policy,
        gate,
        reasons.filter((row) => gate.codes.includes(row.code)),
      ),
    )
  const waived = gates.flatMap(({ gate, waived: reason }) =>
    reason === null ? [] : [{ check_id: gate, product_id: GATES[gate], reason }],
  )
  return {
    outcome: worstOutcome(executed.map((check) => check.outcome)),
    reasons,
    executed,
    waived,
    limitations: [...new Set(gates.flatMap((gate) => gate.limitations))],
  }
}

function executedCheck(policy: Policy<unknown>, gate: GateResult, rows: readonly PolicyReason[]): CheckExecuted {
  return {
    check_id: gate.gate,
    product_id: GATES[gate.gate],
    outcome: worstOutcome(rows.map((row) => row.outcome)),
    reason_codes: rows.filter((row) => row.outcome !== "PASS").map((row) => row.code),
    evidence_ids: [...gate.evidenceIds].sort(),
    policy: { id: policy.id, version: policy.version },
  }
}
