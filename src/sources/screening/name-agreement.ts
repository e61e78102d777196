/**
 * Decides whether the given legal name is the registered one. Case, punctuation, abbreviations, transliteration and word order make no
 * difference. Another word, number or legal form does, because these distinguish two companies of one group.
 */
import { legalNameKey } from "../../core/legal-name-key.ts"
import type { Party } from "../records/party.ts"
import { foldName } from "./fold.ts"
import { nameForm } from "./name-form.ts"
import { NameIndex } from "./name-index.ts"
import { SCORER } from "./scorer.ts"

interface NameAgreement {
  readonly agrees: boolean
  /** 0 to 1 with four decimals: the score of the closest registered name; 0 below the scorer's minimum. */
  readonly score: number
}

/**
 * CHOICE: two names are equal from the score at which the lists' block tier treats them as one name, if the legal forms do not differ. A
 * name that only omits its legal form agrees. A trading or former name does not agree, because the member asks for the legal name.
 */
const AGREEMENT_SCORE_MIN = 0.95

export function compareNames(given: string, registered: readonly string[]): NameAgreement {
  const key = legalNameKey(given)
  if (key !== "" && registered.some((name) => legalNameKey(name) === key)) return { agrees: true, score: 1 }
  const { readings, problems } = foldName(given)
  // The unread part may be the word that differs.
  if (problems.length > 0) return { agrees: false, score: 0 }
  // Compare the whole name, never its parts: "X c/o Y" is not Y.
  const forms = readings.map((reading) => nameForm(withoutArticle(reading), "org"))
  if (forms.some(({ cut, longWord }) => cut || longWord)) return { agrees: false, score: 0 }
  const read = registered.map(foldName).filter((folded) => folded.problems.length === 0)
  const names = read.map((folded) => withoutArticle(folded.readings[0] ?? ""))
  const { search } = new NameIndex(
    { snapshotIds: {}, parties: [asParty(names)] },
    { ...SCORER, comparesEveryName: true, weighsWords: false },
  )
  const [best] = search.find(forms)
  if (!best) return { agrees: false, score: 0 }
  const score = Math.round(best.score * 10_000) / 10_000
  const hasOtherForm = search.explain(best).multipliers.some(({ rule }) => rule === "LEGAL_FORM_DIFFERS")
  return { agrees: score >= AGREEMENT_SCORE_MIN && !hasOtherForm, score }
}

/** "The Boeing Company" is registered with and without the article. */
function withoutArticle(folded: string): string {
  return folded.replace(/^\s*the\s+(?=\S)/, "")
}

/** The index holds list parties, so a registration is converted to one. It does not leave this file. */
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
