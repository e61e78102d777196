/**
 * Finds a listed name inside a longer one: `Global Karvolan Maritime Trading`, `Pellworth Supplies for Karvolan Maritime Trading ref 4711`.
 * In the formula of the score, unpaired words lower the score. That is right if they replace listed words. It is wrong if the query
 * contains the whole listed name, because a person who hides a listed party adds words around it. So a query that contains all words of a
 * listed name, in order and adjacent, scores
 *
 *   s = containedName, whatever the surrounding words are,
 *
 * before the party's own multipliers, if the name carries enough information:
 *
 *   I = sum(max(0, w - ordinaryWeight)) + (statedForm if its legal form occurs there as listed) >= informationMin
 *
 * w are the weights of its words without numbers. Here a weight counts how many PARTIES have the word, so that the aliases of a famous
 * party do not make the words of its name ordinary. Words of many parties add nothing, so `United Aircraft` is not found in every company
 * with "united" and "aircraft" in its name. If only one word adds information (`Phoenix`, `La Rosa`), that word is often an ordinary word
 * too. Such a name counts with its legal form. It also counts if all of these hold: it is listed without a form as the name of an
 * organisation, the word has `loneWordLetters` letters and information of `loneWordMin` (`Taliban`), and the query is not a person's name.
 * A person's `SURNAME, Given` also counts in the order in which people write it. Weak aliases never count: the publisher itself states that
 * they fit too many parties. The score stays below `blockScoreMin`: with the added words it may be another party, and a person must decide.
 */
import { SAME_WORD } from "./common-words.ts"
import { hashEnd, hashMore } from "./hash-pairs.ts"
import { JOINED_LENGTH_MIN, JOINED_SEED, listedForm, PARTY_TYPES } from "./listed-names.ts"
import type { NameForm } from "./name-form.ts"
import type { NameTables } from "./name-tables.ts"
import { CONTAINED } from "./parameters.ts"
import type { ScoreDetail } from "./score-detail.ts"
import { DIGIT_END } from "./token-similarity.ts"

const LEAST_INFORMATION = Math.min(CONTAINED.informationMin, CONTAINED.loneWordMin)
const ORGANISATION = PARTY_TYPES.indexOf("org")

/** A listed name that the query contains: the words `words[from .. end)`. */
export interface Contained {
  readonly name: number
  readonly words: readonly string[]
  readonly from: number
  readonly end: number
}

/**
 * Calls `visit` with every listed name that carries enough information and is contained in the query: first in the compared form, then as
 * written, with legal forms. Two letters may be a form in the query and a part of the listed name (`Global AB Foods`).
 */
export function eachContained(tables: NameTables, form: NameForm, visit: (contained: Contained) => void): void {
  const compared = queryWords(tables, form.tokens)
  eachListed(tables, compared, false, (found) => {
    if (hasWords(tables, found, compared.ids) && isInformative(tables, found.name, form, false)) visit(found)
  })
  if (form.legalForms === 0) return
  eachListed(tables, queryWords(tables, form.words, form.tokens), true, (found) => {
    const { name, words, from, end } = found
    const formStated = tables.legalForms[name] !== 0
    const sameWords = formStated || tables.wordStart[name + 1]! - tables.wordStart[name]! === end - from
    const isListed = sameWords && writtenLetters(tables, name) === words.slice(from, end).join("")
    if (isListed && isInformative(tables, name, form, formStated)) visit(found)
  })
}

/** The words of a query with their data. */
interface QueryWords {
  readonly words: readonly string[]
  /** Number of the listed word; `UNLISTED`, or `TAKEN` for a word of a legal form. */
  readonly ids: readonly number[]
}
const UNLISTED = -1
const TAKEN = -2

/**
 * `tokens` are the words without the legal forms; default: all words. The comparison of the name has expanded them before, so the search for
 * each word does not read the vocabulary.
 */
function queryWords({ vocabulary }: NameTables, words: readonly string[], tokens?: readonly string[]): QueryWords {
  const ids: number[] = []
  for (const word of words) {
    const meant = tokens ? (SAME_WORD.get(word) ?? word) : word
    ids.push(tokens?.includes(meant) === false ? TAKEN : (vocabulary.expand(meant).id ?? UNLISTED))
  }
  return { words, ids }
}

/**
 * Visits the names whose letters equal adjacent words; with `withForm`, only word runs that contain a legal form. The hash only proposes,
 * because different names may share it. A run with too little information is not looked up, and a run of listed words with too little
 * information is not hashed; most runs are of that kind.
 */
function eachListed(
  { joined, vocabulary }: NameTables,
  { words, ids }: QueryWords,
  withForm: boolean,
  visit: (proposed: Contained) => void,
): void {
  for (let start = 0, stop = 0; start < words.length; start = stop + 1) {
    let most = 0
    for (stop = start; stop < words.length && ids[stop] !== UNLISTED; stop++)
      most += ids[stop] === TAKEN ? CONTAINED.statedForm : vocabulary.telling[ids[stop]!]!
    if (most < LEAST_INFORMATION) continue
    for (let from = start; from < stop; from++) {
      let hash = JOINED_SEED
      let letters = 0
      let information = 0
      let hasForm = false
      for (let end = from + 1; end <= stop; end++) {
        const id = ids[end - 1]!
        hash = hashMore(words[end - 1]!, hash)
        letters += words[end - 1]!.length
        if (id === TAKEN) hasForm = true
        information += id === TAKEN ? CONTAINED.statedForm : vocabulary.telling[id]!
        if (hasForm !== withForm || information < LEAST_INFORMATION) continue
        if (letters < JOINED_LENGTH_MIN || end - from === words.length) continue
        joined.each(hashEnd(hash), (name) => visit({ name, words, from, end }))
      }
    }
  }
}

/**
 * Checks the listed order, or the rotated order: `Given SURNAME` for a listed `SURNAME, Given`. The caller knows that both have the same
 * letters.
 */
function hasWords(tables: NameTables, { name, from, end }: Contained, queryIds: readonly number[]): boolean {
  const listed = wordsOf(tables, name)
  const count = end - from
  if (listed.length !== count) return false
  const startsAt = (start: number) => listed.every((word, at) => queryIds[from + ((start + at) % count)] === word)
  return listed.some((_, start) => startsAt(start))
}

function writtenLetters({ party, ordinal, partyAt }: NameTables, name: number): string {
  const listed = partyAt(party[name]!)
  return listedForm(listed, listed.names[ordinal[name]!]!.text).letters
}

function isInformative(tables: NameTables, name: number, { nameClass }: NameForm, formStated: boolean): boolean {
  const { vocabulary } = tables
  if (tables.weak[name] === 1) return false
  const telling = [...wordsOf(tables, name)].filter((word) => vocabulary.telling[word]! > 0)
  const information = telling.reduce(
    (sum, word) => sum + vocabulary.telling[word]!,
    formStated ? CONTAINED.statedForm : 0,
  )
  if (formStated || telling.length > 1) return information >= CONTAINED.informationMin
  const isOrganisation = tables.types[tables.party[name]!] === ORGANISATION && tables.legalForms[name] === 0
  if (nameClass === "person" || !isOrganisation || information < CONTAINED.loneWordMin) return false
  return vocabulary.lengths[telling[0]!]! >= CONTAINED.loneWordLetters
}

const wordsOf = ({ words, wordStart }: NameTables, name: number): Uint32Array =>
  words.subarray(wordStart[name]!, wordStart[name + 1]!)

/** Details for a reviewer: each listed word matches itself. The surrounding words are unpaired and have no weight in the formula. */
export function containedDetail(tables: NameTables, { name, words, from, end }: Contained): ScoreDetail {
  const { vocabulary } = tables
  const listed = Array.from(wordsOf(tables, name))
  return {
    pairs: listed.map((word) => {
      const text = vocabulary.wordAt(word)
      return { query: text, listed: text, similarity: 1, weight: vocabulary.weights[word]! }
    }),
    queryLeftOver: [...words.slice(0, from), ...words.slice(end)],
    listedLeftOver: [],
    queryLeftOverWeight: 0,
    listedLeftOverWeight: 0,
    multipliers: [],
    informationSum: listed.reduce(
      (sum, word) => sum + (vocabulary.firsts[word]! < DIGIT_END ? 0 : vocabulary.weights[word]!),
      0,
    ),
  }
}
