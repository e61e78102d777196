/** Lists of checks before a quote. The paid route stops at the first rejection. The free eligibility route reports every line. */
import type { ServiceError } from "../../base/errors.ts"

/** The check cannot run yet, or this caller must not see its result. A quote still proceeds; later checks reject if they must. */
export const NOT_EVALUATED = "NOT_EVALUATED"
export type Judged = ServiceError | null | typeof NOT_EVALUATED

export interface PreQuoteCheck<Inquiry, Id extends string = string> {
  readonly id: Id
  /** Members of the request that the check reads. */
  readonly needs: readonly string[]
  /** The result is shown only to a caller who proved the agent's key (rulings 28), and only until another private check fails. */
  readonly private?: boolean
  /** For a paid call, the transaction that reserves the payment makes this check instead, because it knows whether money has moved. */
  readonly inReserve?: boolean
  judge(inquiry: Inquiry): Judged | Promise<Judged>
  /** Replaces `judge` on the free eligibility route, if `judge` would show a caller who pays nothing the content of the lists. */
  judgeFree?(inquiry: Inquiry): Judged | Promise<Judged>
}

/** Private checks run only after the check with this id passed. */
const PROOF = "REQUEST_SIGNATURE"

export async function firstRefusal<Inquiry>(
  checks: readonly PreQuoteCheck<Inquiry>[],
  inquiry: Inquiry,
): Promise<ServiceError | null> {
  for (const check of checks) {
    const judged = await check.judge(inquiry)
    if (judged !== null && judged !== NOT_EVALUATED) return judged
  }
  return null
}

export interface JudgedLine<Id extends string> {
  readonly checkId: Id
  readonly state: "PASSED" | "FAILED" | "NOT_EVALUATED"
  /** Null unless FAILED. */
  readonly refusal: ServiceError | null
}

/** Runs every check in its order. A check that needs a member in `missing` is not evaluated. */
export async function judgeLines<Inquiry, Id extends string>(
  checks: readonly PreQuoteCheck<Inquiry, Id>[],
  inquiry: Inquiry,
  missing: readonly string[],
): Promise<JudgedLine<Id>[]> {
  const canJudge = ({ needs }: PreQuoteCheck<Inquiry, Id>) => !needs.some((member) => missing.includes(member))
  const proof = checks.find(({ id }) => id === PROOF)
  let isTrusted = proof !== undefined && canJudge(proof) && (await proof.judge(inquiry)) === null
  const lines: JudgedLine<Id>[] = []
  for (const check of checks) {
    const isTold = check.private !== true || isTrusted
    const judged = isTold && canJudge(check) ? await (check.judgeFree ?? check.judge)(inquiry) : NOT_EVALUATED
    if (judged === null) lines.push({ checkId: check.id, state: "PASSED", refusal: null })
    else if (judged === NOT_EVALUATED) lines.push({ checkId: check.id, state: "NOT_EVALUATED", refusal: null })
    else {
      lines.push({ checkId: check.id, state: "FAILED", refusal: judged })
      if (check.private) isTrusted = false
    }
  }
  return lines
}

/** Returns the JSON pointers that a line of an eligibility answer names. */
export function linePointers({ refusal }: JudgedLine<string>): string[] {
  return (refusal?.context.errors ?? []).map(({ pointer }) => pointer)
}
