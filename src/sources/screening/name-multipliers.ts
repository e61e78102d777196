import type { Comparison } from "./comparison.ts"
import { COMPANY_BIT } from "./legal-forms.ts"
import type { NameForm } from "./name-form.ts"
import { SCORE, WORDS } from "./parameters.ts"

/** Both names state a form and the classes differ. Plain "company" is compatible with any class. */
export function legalFormsDiffer(query: number, listed: number, person: boolean): boolean {
  if (person || query === 0 || listed === 0 || query === COMPANY_BIT || listed === COMPANY_BIT) return false
  return (query & listed) === 0
}

interface ComparedWords {
  /** Numbers of words. */
  readonly query: number
  readonly listed: number
  /** Weight of those without a pair. */
  readonly leftOver: number
  /** The one word that agrees is on few listed names. */
  readonly isRareFamily: boolean
}

/** Adds the multipliers for words to the comparison. */
export function addWordMultipliers(c: Comparison, { query, listed, leftOver, isRareFamily }: ComparedWords): void {
  const isInitialled = c.alike <= 1 && c.initials > 0
  if (c.alike <= 1 && Math.max(query, listed) > 1 && leftOver > 0.25 && !(isInitialled && isRareFamily))
    c.multipliers.push({ rule: "SINGLE_WORD_OVERLAP", factor: SCORE.singleTokenOverlap })
  if (!isInitialled) return
  const all = c.initials > 1 && c.pairs === query && c.pairs === listed
  const factor = all ? SCORE.allInitials : isRareFamily ? WORDS.rareFamilyInitial : SCORE.initialsOnly
  c.multipliers.push({ rule: "INITIALS_ONLY", factor })
}

/** Adds the multiplier for the numbers of the two names. A number that a reading takes for a reference may be another one of the name. */
export function addNumberMultiplier(
  c: Comparison,
  { numbers: query, numbersRead }: Pick<NameForm, "numbers" | "numbersRead">,
  listed: string,
): void {
  if (query === listed) return
  c.multipliers.push(
    listed !== "" && (query !== "" || numbersRead)
      ? { rule: "NUMBER_DIFFERS", factor: SCORE.numberDiffers }
      : { rule: "NUMBER_MISSING", factor: SCORE.numberMissing },
  )
}
