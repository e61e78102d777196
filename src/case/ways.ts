/** The way out of a stopped answer: a row for each remediation that its reasons name. */
import type { CaseReason, CaseWay } from "../../schemas/case.ts"
import { findRemedy } from "../catalogue/remedies.ts"

/** In the order of the reasons. A reason that nobody can lift comes first. */
export function waysOf(reasons: readonly CaseReason[]): CaseWay[] {
  const codes = reasons.flatMap(({ remediation }) => (remediation === null ? [] : [remediation]))
  const ways = [...new Set(codes)].map(wayOf)
  return ways.toSorted((one, other) => Number(other.who === "NOBODY") - Number(one.who === "NOBODY"))
}

export function wayOf(code: string): CaseWay {
  const known = findRemedy(code)
  return {
    code,
    words: known?.words ?? null,
    who: known?.who ?? null,
    way: known?.way ?? null,
    is_bought_again: known?.isBoughtAgain ?? false,
  }
}
