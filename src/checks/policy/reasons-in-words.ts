/** The reasons of a delivered answer in the words of the policy that decided it. */
import type { PolicyReason } from "./policy.ts"

export interface ReasonInWords {
  readonly code: string
  /** One sentence; null where this program does not have the row. */
  readonly why: string | null
  /** What a machine shall do about it; empty where nothing need be done, null where this program does not have the row. */
  readonly remediation: string | null
}

export interface StatedReasons {
  readonly reason_codes: readonly string[]
  /** What the rows that led to a condition ask for. */
  readonly conditions: readonly string[]
}

/** `rows` are those of the policy version that the answer names, or null where this program does not have that version. */
export function reasonsInWords(rows: readonly PolicyReason[] | null, stated: StatedReasons): ReasonInWords[] {
  return stated.reason_codes.map((code) => {
    const row = rows === null ? undefined : firedRow(rows, code, stated)
    return { code, why: row?.why ?? null, remediation: row?.remediation ?? null }
  })
}

/** A code has several rows where the buyer's tolerance decides; an answer lists what its conditions ask for, which tells them apart. */
function firedRow(
  rows: readonly PolicyReason[],
  code: string,
  { conditions }: StatedReasons,
): PolicyReason | undefined {
  const own = rows.filter((row) => row.code === code)
  const isCondition = (row: PolicyReason) => row.outcome === "CONDITION"
  return (
    own.find((row) => isCondition(row) && conditions.includes(row.remediation)) ?? own.find((row) => !isCondition(row))
  )
}
