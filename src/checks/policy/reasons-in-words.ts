/** Explains the reasons of a delivered answer with the texts of the policy that decided it. */
import type { PolicyReason } from "./policy.ts"

export interface ReasonInWords {
  readonly code: string
  /** One sentence, or null if this program does not have the row. */
  readonly why: string | null
  /** What a machine must do about it. Empty if nothing is needed, null if this program does not have the row. */
  readonly remediation: string | null
}

interface StatedReasons {
  readonly reason_codes: readonly string[]
  /** The remediations of the rows that led to a condition. */
  readonly conditions: readonly string[]
}

/** `rows` are the rows of the policy version that the answer names, or null if this program does not have that version. */
export function reasonsInWords(rows: readonly PolicyReason[] | null, stated: StatedReasons): ReasonInWords[] {
  return stated.reason_codes.map((code) => {
    const row = rows === null ? undefined : firedRow(rows, code, stated)
    return { code, why: row?.why ?? null, remediation: row?.remediation ?? null }
  })
}

/**
 * A code has several rows if the buyer's tolerance decides its outcome. The answer lists the remediations of its conditions, which
 * identifies the row.
 */
export function firedRow(
  rows: readonly PolicyReason[],
  code: string,
  { conditions }: Pick<StatedReasons, "conditions">,
): PolicyReason | undefined {
  const own = rows.filter((row) => row.code === code)
  const isCondition = (row: PolicyReason) => row.outcome === "CONDITION"
  return (
    own.find((row) => isCondition(row) && conditions.includes(row.remediation)) ?? own.find((row) => !isCondition(row))
  )
}
