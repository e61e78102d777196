/**
 * Whether the legal name given is the registered one. Case, punctuation, abbreviations, transliteration and the order of words make no
 * difference; another word, another number or another legal form does, because that is how two firms of one family are told apart.
 */
import { legalNameKey } from "../../core/legal-name-key.ts"
import type { Party } from "../records/party.ts"
import { foldName } from "../screening/fold.ts"
import { nameForm } from "../screening/name-form.ts"
import { NameIndex } from "../screening/name-index.ts"

export interface NameAgreement {
  readonly agrees: boolean
  /** 0 to 1, four decimals, of the registered name that came nearest; 0 below the scorer's least. */
  readonly score: number
}

/**
 * CHOICE: equal is the score from which the lists' own block tier takes two names for one, without another legal form. A name that
 * only leaves its legal form out agrees; a trading or former name does not, since the member asks for the legal one.
 */
export const AGREEMENT_SCORE_MIN = 0.95

export function compareNames(given: string, registered: readonly string[]): NameAgreement {
  const key = legalNameKey(given)
  if (key !== "" && registered.some((name) => legalNameKey(name) === key)) return { agrees: true, score: 1 }
  const { readings, problems } = foldName(given)
  // What was not read may be the word that differs.
  if (problems.length > 0) return { agrees: false, score: 0 }
  // Whole, never in parts: "X c/o Y" is not Y.
  const forms = readings.map((reading) => nameForm(withoutArticle(reading), "org"))
  if (forms.some(({ cut, longWord }) => cut || longWord)) return { agrees: false, score: 0 }
  const read = registered.map(foldName).filter((folded) => folded.problems.length === 0)
  const names = read.map((folded) => withoutArticle(folded.readings[0] ?? ""))
  const { search } = new NameIndex({ snapshotIds: {}, parties: [asParty(names)] })
  const [best] = search.find(forms)
  if (!best) return { agrees: false, score: 0 }
  const score = Math.round(best.score * 10_000) / 10_000
  const hasOtherForm = search.explain(best).multipliers.some(({ rule }) => rule === "LEGAL_FORM_DIFFERS")
  return { agrees: score >= AGREEMENT_SCORE_MIN && !hasOtherForm, score }
}

/** "The Boeing Company" is registered with and without it. */
function withoutArticle(folded: string): string {
  return folded.replace(/^\s*the\s+(?=\S)/, "")
}

/** The index holds parties of lists; a registration is looked at as one of them and never leaves this file as one. */
function asParty(names: readonly string[]): Party {
  return {
    sourceId: "US_SAM_EXCLUSIONS",
    entryId: "registered",
    type: "org",
    list: "",
    programs: [],
    measure: "condition",
    names: names.map((text) => ({ text, kind: "primary" })),
    identifiers: [],
    birthDates: [],
    countries: [],
    addresses: [],
    line: { file: "", number: 0 },
  }
}
