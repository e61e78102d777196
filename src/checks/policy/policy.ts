import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"

/** Gate of the rows that close an answer when every gate passed. */
export const DECISION_GATE = "DECISION"

/** One row of a policy. A code has several rows if the buyer's tolerance decides its outcome. */
export interface PolicyReason {
  readonly code: string
  /** The product's name of a gate, or DECISION for rows that close an answer without a finding. */
  readonly gate: string
  readonly outcome: GateOutcome
  readonly tolerances: readonly Tolerance[]
  readonly why: string
  /** What a machine must do about it. Empty if nothing is needed. */
  readonly remediation: string
}

const ANY = ["LOW", "MEDIUM", "HIGH"] as const satisfies readonly Tolerance[]

export type RowRest = [outcome: GateOutcome, remediation: string, why: string, tolerances?: readonly Tolerance[]]

/** Returns one row. Without `tolerances` it applies at any tolerance. */
export function reasonRow(code: string, gate: string, ...rest: RowRest): PolicyReason {
  const [outcome, remediation, why, tolerances = ANY] = rest
  return { code, gate, outcome, tolerances, why, remediation }
}

/** Policy is data. The order of `reasons` is their precedence and their order in answers. */
export interface Policy<Thresholds> {
  readonly id: string
  readonly version: string
  readonly thresholds: Thresholds
  readonly reasons: readonly PolicyReason[]
}

/**
 * Returns the rows that apply at this tolerance to the given codes, in policy order without duplicates. Throws for a code that the policy
 * lacks: that is a bug.
 */
export function reasonsFor(
  policy: Policy<unknown>,
  tolerance: Tolerance,
  codes: ReadonlySet<string>,
): readonly PolicyReason[] {
  const rows = policy.reasons.filter((row) => codes.has(row.code) && row.tolerances.includes(tolerance))
  for (const code of codes) {
    if (!rows.some((row) => row.code === code)) throw new TypeError(`policy ${policy.id} has no row for ${code}`)
  }
  return rows
}
