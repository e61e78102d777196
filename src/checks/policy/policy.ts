import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import { type Digest, digestOf } from "../../core/digest.ts"

/** Gate of the rows that close an answer in which every gate passed. */
export const DECISION_GATE = "DECISION"

/** One row of a policy. A code may have several rows when the buyer's tolerance decides what it leads to. */
export interface PolicyReason {
  readonly code: string
  /** The product's own name of a gate, or DECISION for the rows that close an answer without a finding. */
  readonly gate: string
  readonly outcome: GateOutcome
  readonly tolerances: readonly Tolerance[]
  readonly why: string
  /** What a machine shall do about it; empty where nothing need be done. */
  readonly remediation: string
}

const ANY = ["LOW", "MEDIUM", "HIGH"] as const satisfies readonly Tolerance[]

export type RowRest = [outcome: GateOutcome, remediation: string, why: string, tolerances?: readonly Tolerance[]]

/** One row; without `tolerances` it applies at any. */
export function reasonRow(code: string, gate: string, ...rest: RowRest): PolicyReason {
  const [outcome, remediation, why, tolerances = ANY] = rest
  return { code, gate, outcome, tolerances, why, remediation }
}

/** Policy is data. The order of `reasons` is their precedence, and the order in which answers list them. */
export interface Policy<Thresholds> {
  readonly id: string
  readonly version: string
  readonly thresholds: Thresholds
  readonly reasons: readonly PolicyReason[]
}

const checksums = new WeakMap<Policy<unknown>, Digest>()

/** Digest of the policy without a checksum member (rulings 9). A policy never changes, so it is computed once. */
export function policyChecksum(policy: Policy<unknown>): Digest {
  const known = checksums.get(policy)
  if (known !== undefined) return known
  const checksum = digestOf(policy)
  checksums.set(policy, checksum)
  return checksum
}

/** The rows that apply at this tolerance to the codes found, in policy order, each once. A code the policy lacks is a bug. */
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
