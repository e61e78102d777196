import type { Comparison } from "./comparison.ts"
import { COMPANY_BIT } from "./legal-forms.ts"
import { SCORE } from "./parameters.ts"

/** Both names state a form and the classes differ. Plain "company" is compatible with any class. */
export function legalFormsDiffer(query: number, listed: number, person: boolean): boolean {
  if (person || query === 0 || listed === 0 || query === COMPANY_BIT || listed === COMPANY_BIT) return false
  return (query & listed) === 0
}

/** Adds the multipliers for words to the comparison. `query` and `listed`: numbers of words; `leftOver`: weight of those without a pair. */
export function addWordMultipliers(c: Comparison, query: number, listed: number, leftOver: number): void {
  if (c.alike <= 1 && Math.max(query, listed) > 1 && leftOver > 0.25)
    c.multipliers.push({ rule: "SINGLE_WORD_OVERLAP", factor: SCORE.singleTokenOverlap })
  if (c.alike <= 1 && c.initials > 0) {
    const all = c.initials > 1 && c.pairs === query && c.pairs === listed
    c.multipliers.push({ rule: "INITIALS_ONLY", factor: all ? SCORE.allInitials : SCORE.initialsOnly })
  }
}

/** Adds the multiplier for the numbers of the two names, as `name-form.ts` writes them. */
export function addNumberMultiplier(c: Comparison, query: string, listed: string): void {
  if (query === listed) return
  c.multipliers.push(
    query !== "" && listed !== ""
      ? { rule: "NUMBER_DIFFERS", factor: SCORE.numberDiffers }
      : { rule: "NUMBER_MISSING", factor: SCORE.numberMissing },
  )
}
