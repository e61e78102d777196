/** Checks that precede a quote, as lists: the paid route ends at the first refusal, the free eligibility route reports every line. */
import type { ServiceError } from "../errors.ts"

/** It cannot be judged now, or its answer is not for this caller. A quote goes on; what is asked later refuses where it must. */
export const NOT_EVALUATED = "NOT_EVALUATED"
export type Judged = ServiceError | null | typeof NOT_EVALUATED

export interface PreQuoteCheck<Inquiry, Id extends string = string> {
  readonly id: Id
  /** Members of the request that it reads. */
  readonly needs: readonly string[]
  /** Told only to who proved the agent's key (rulings 28), and not after another such check has failed. */
  readonly private?: boolean
  judge(inquiry: Inquiry): Judged | Promise<Judged>
  /** The free eligibility route calls this instead of `judge`, where `judge` would show the content of the lists without payment. */
  judgeFree?(inquiry: Inquiry): Judged
}

/** Private checks are answered once the check of this id has passed. */
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

/** Every check in its order. `missing`: members that the request has not; checks that need one are not evaluated. */
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

/** JSON pointers that a line of an eligibility answer names. */
export function linePointers({ refusal }: JudgedLine<string>): string[] {
  return (refusal?.context.errors ?? []).map(({ pointer }) => pointer)
}
