/** Finds a listed name that is not distinctive, such as the alias `LIMITED`: only the whole query with the same letters is that name. */
import { listedForm, wholeHash } from "./listed-names.ts"
import type { NameForm } from "./name-form.ts"
import type { NameTables } from "./name-tables.ts"
import { SCORE } from "./parameters.ts"
import type { ScoreDetail } from "./score-detail.ts"

/** `form` is a reading of the whole query. The hash only proposes, so the letters are compared. */
export function eachWhole(tables: NameTables, { letters }: NameForm, visit: (name: number) => void): void {
  const { joined, wordStart, party, ordinal, partyAt } = tables
  joined.each(wholeHash(letters), (name) => {
    if (wordStart[name] !== wordStart[name + 1]) return
    const listed = partyAt(party[name]!)
    if (listedForm(listed, listed.names[ordinal[name]!]!.text).letters === letters) visit(name)
  })
}

/** Every word agrees, and none of them identifies the party. */
export function wholeDetail({ words }: NameForm): ScoreDetail {
  const weight = SCORE.weightCompanyWord
  return {
    pairs: words.map((word) => ({ query: word, listed: word, similarity: 1, weight })),
    queryLeftOver: [],
    listedLeftOver: [],
    queryLeftOverWeight: 0,
    listedLeftOverWeight: 0,
    multipliers: [],
    informationSum: 0,
  }
}
