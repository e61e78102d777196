/**
 * Combines the findings of the gates into one outcome. The policy data defines what each code means. Each product defines its own gates.
 */
import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { GateResult } from "./gate.ts"
import { type Policy, type PolicyReason, reasonsFor } from "./policy.ts"

/** The worst outcome wins: any BLOCK, else any HOLD, else any INCONCLUSIVE, else any CONDITION, else PASS. */
const WORST_FIRST = ["BLOCK", "HOLD", "INCONCLUSIVE", "CONDITION"] as const satisfies readonly GateOutcome[]

export interface Judgement<Gate extends string> {
  readonly outcome: GateOutcome
  /** Rows that fired, PASS rows included, in policy order. */
  readonly reasons: readonly PolicyReason[]
  /** The rows of `reasons` that the gate's codes fired. */
  readonly reasonsOf: (gate: Gate) => readonly PolicyReason[]
  /** Null if the gate was waived or is not among the judged gates. */
  readonly outcomeOf: (gate: Gate) => GateOutcome | null
  readonly limitations: readonly string[]
}

export function worstOutcome(outcomes: readonly GateOutcome[]): GateOutcome {
  return WORST_FIRST.find((outcome) => outcomes.includes(outcome)) ?? "PASS"
}

export function judgeGates<Gate extends string>(
  policy: Policy<unknown>,
  tolerance: Tolerance,
  gates: readonly GateResult<Gate>[],
): Judgement<Gate> {
  const reasons = reasonsFor(policy, tolerance, new Set(gates.flatMap(({ codes }) => codes)))
  const reasonsOf = (gate: Gate) =>
    reasons.filter((row) => gates.some((one) => one.gate === gate && one.codes.includes(row.code)))
  return {
    outcome: outcomeOfRows(reasons),
    reasons,
    reasonsOf,
    outcomeOf: (gate) =>
      gates.some((one) => one.gate === gate && one.waived === null) ? outcomeOfRows(reasonsOf(gate)) : null,
    limitations: [...new Set(gates.flatMap(({ limitations }) => limitations))],
  }
}

function outcomeOfRows(rows: readonly PolicyReason[]): GateOutcome {
  return worstOutcome(rows.map(({ outcome }) => outcome))
}
