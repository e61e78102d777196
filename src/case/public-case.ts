/** The case of an answer for a reader who must not learn under which other names and identifiers the buyer's records know the supplier. */
import type { Case } from "../../schemas/case.ts"
import { isJsonObject } from "../core/strict-json.ts"
import { without } from "../core/without.ts"
import { type CaseInput, caseOf, caseWith } from "./case-of.ts"
import { hitsOf, RECORDED_ROLES } from "./hits.ts"
import type { Value } from "./members.ts"

/**
 * INVARIANT: only the numbers and the count of the note come from the hits of the records. The operator judges a hit by its number, so each
 * hit has the same one here as in the whole case.
 */
export function publicCaseOf(input: CaseInput): Case | null {
  const whole = caseOf(input)
  if (whole === null) return null
  const numbers = whole.hits.filter(({ role }) => !RECORDED_ROLES.has(role)).map(({ number }) => number)
  const shown = caseWith({ ...input, facts: withoutRecords(input.facts as Value) }, (parts) => {
    const found = hitsOf(parts)
    return { ...found, hits: found.hits.map((hit, index) => ({ ...hit, number: numbers[index] ?? hit.number })) }
  })
  const hidden = shown === null ? 0 : countHits(whole) - countHits(shown)
  return shown === null || hidden === 0 ? shown : { ...shown, notes: [...shown.notes, hiddenHits(hidden)] }
}

function withoutRecords(facts: Value): Value {
  return isJsonObject(facts) ? without(facts, "recorded_supplier") : facts
}

function countHits({ hits, hits_left_out: leftOut }: Case): number {
  return hits.length + leftOut
}

function hiddenHits(count: number): string {
  return `Hits that are not shown here: ${count}. They concern what the buyer's own records know of the company. The operator of this service sees them.`
}
