import type { NameTables } from "../name-tables.ts"
import type { QueryWords } from "../query-words.ts"
import { EDITS_MAX, LETTERS_APART_MAX, lettersApart } from "../token-similarity.ts"

/**
 * Returns whether the listed name has a word that one of the query's words at `places` may misspell or abbreviate, judged only by length
 * and letters. False is certain, true is not.
 */
export function mayMisspell(tables: NameTables, query: QueryWords, name: number, places: readonly number[]): boolean {
  const { words, wordStart, vocabulary } = tables
  const { lengths, firsts, letters } = vocabulary
  const end = wordStart[name + 1]!
  for (let at = wordStart[name]!; at < end; at++) {
    const word = words[at]!
    const listed = lengths[word]!
    const set = letters[word]!
    for (let p = 0; p < places.length; p++) {
      const place = places[p]!
      const length = query.lengths[place]!
      if (Math.abs(listed - length) <= EDITS_MAX && lettersApart(set, query.letters[place]!) <= LETTERS_APART_MAX)
        return true
      if ((listed === 1 || length === 1) && firsts[word] === query.firsts[place]) return true
    }
  }
  return false
}
