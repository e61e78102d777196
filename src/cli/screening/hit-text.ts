/** The words for one hit, in the table of `screen NAME` and in a row of `screen --file`. */
import { TIERS } from "../../sources/screening/parameters.ts"
import type { ScreenExplanation, ScreenHit, ScreenResult } from "../../sources/screening/screen.ts"

export const BIRTH_DATE_NEEDED =
  "many people share this name: give the day of birth (--birth-date YYYY-MM-DD) or a document (--id passport:NUMBER)"

/** A person's name agrees, and more data could decide: the day of birth, the country with the year, or an identity document. */
export function needsBirthDate({ partyType, measure, tier, score, basis, corroboration }: ScreenHit): boolean {
  const isNamesake = partyType === "person" && measure === "block" && tier === "HOLD" && score >= TIERS.blockScoreMin
  const isUndated = corroboration.birth_date === "ABSENT"
  const isYearAlone = corroboration.birth_date === "MATCH" && corroboration.country === "ABSENT"
  return isNamesake && basis !== "WEAK_ALIAS" && (isUndated || isYearAlone)
}

export function leftOverText(explanation: ScreenExplanation): string {
  const side = (words: readonly string[], weight: number) =>
    words.length === 0 ? "none" : `${words.join(", ")} (${weight.toFixed(4)})`
  const query = side(explanation.queryLeftOver, explanation.queryLeftOverWeight)
  return `asked: ${query}; listed: ${side(explanation.listedLeftOver, explanation.listedLeftOverWeight)}`
}

export function multipliersText({ multipliers }: ScreenExplanation): string {
  return listedText(multipliers.map(({ rule, factor }) => `${rule} x${factor}`))
}

export function corroborationText({ corroboration }: ScreenHit): string {
  const { identifier, country, address, birth_date, type } = corroboration
  return `identifier ${identifier}, country ${country}, address ${address}, dob ${birth_date}, type ${type}`
}

export const listedText = (texts: readonly string[]): string => (texts.length === 0 ? "none" : texts.join(", "))

/** A list's text must neither control the terminal nor imitate a line of this program. */
export const printable = (line: string): string => line.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\ufffd")

/**
 * One line for a result: why its worst hit is a hit, why the name could not be read, and which lists are not in use. Empty for a name that is
 * CLEAR. `incomplete`: the words for each list that prevents CLEAR.
 */
export function reasonOf(
  { hits, hitCount, suppressedHits, nameProblems }: ScreenResult,
  shown: ScreenHit | null,
  incomplete: readonly string[],
): string {
  const others = hitCount - (hits.length > 0 ? 1 : 0)
  const parts = [
    ...(shown ? hitParts(shown) : []),
    ...(others > 0 ? [`${others} more ${others === 1 ? "hit" : "hits"}`] : []),
    ...suppressedHits.map(
      ({ suppression, sourceId, entryId }) =>
        `judged another party than ${sourceId} ${entryId} (${suppression.suppressionId})`,
    ),
    ...nameProblems.map((problem) => `name ${problem}`),
    ...incomplete,
  ]
  return printable(parts.join("; "))
}

function hitParts(hit: ScreenHit): readonly string[] {
  const { explanation } = hit
  const words = explanation.pairs.map(({ query, listed, similarity }) => `${query}=${listed} ${similarity.toFixed(4)}`)
  return [
    hit.tier,
    ...(explanation.identifier ? [`${explanation.identifier.scheme} ${explanation.identifier.value}`] : []),
    `words ${listedText(words)}`,
    `left over ${leftOverText(explanation)}`,
    `multipliers ${multipliersText(explanation)}`,
    `information ${explanation.informationSum.toFixed(4)}`,
    corroborationText(hit),
    ...(needsBirthDate(hit) ? [BIRTH_DATE_NEEDED] : []),
  ]
}

export function nearMissText({ score, sourceId, entryId, matchedName, nameKind }: ScreenHit): string {
  return printable(`${score.toFixed(4)} ${sourceId} ${entryId} ${matchedName} (${nameKind})`)
}
