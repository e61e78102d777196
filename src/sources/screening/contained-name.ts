/**
 * A listed name inside a longer one: `Global Karvolan Maritime Trading`, `Pellworth Supplies for Karvolan Maritime Trading ref 4711`. The
 * formula of the score lets words left over speak against a match. That is right where they take the place of listed words. It is wrong
 * where the query holds the whole listed name: whoever hides a listed party writes words around it. So a query in which all words of a
 * listed name stand in order and together scores
 *
 *   s = containedName, whatever words stand around it,
 *
 * before the party's own multipliers, if the name says enough:
 *
 *   I = sum(max(0, w - ordinaryWeight)) + (statedForm if its legal form stands there as listed) >= informationMin
 *
 * over the weights w of its words without numbers, here by how many PARTIES have the word: the aliases of a famous party make no word of its
 * name ordinary. Words that many parties have add nothing, so that `United Aircraft` is not found in every firm that is united and flies. A
 * name of which one word alone adds something (`Phoenix`, `La Rosa`) is often an ordinary word as well. It counts with its legal form; or
 * where it is listed without one, as the name of an organisation, has `loneWordLetters` letters in that word, says `loneWordMin` by it
 * (`Taliban`), and is not looked for in a person's name. A person listed as `SURNAME, Given` is also found as `Given SURNAME`. Weak aliases
 * never count, because their publisher says that they fit too many parties. The score stays under `blockScoreMin`: the words around may make it another party, and a person must tell.
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

/** A listed name that the query holds: its words are `words[from .. end)`. */
export interface Contained {
  readonly name: number
  readonly words: readonly string[]
  readonly from: number
  readonly end: number
}

/**
 * Calls `visit` with every listed name that says enough and stands in the query among other words: first as names are compared, then as
 * they are written, with legal forms. Two letters may be a form in the query and a part of the listed name (`Global AB Foods`).
 */
export function eachContained(tables: NameTables, form: NameForm, visit: (contained: Contained) => void): void {
  const compared = askedWords(tables, form.tokens)
  eachListed(tables, compared, false, (found) => {
    if (hasWords(tables, found, compared.ids) && saysEnough(tables, found.name, form, false)) visit(found)
  })
  if (form.legalForms === 0) return
  eachListed(tables, askedWords(tables, form.words, form.tokens), true, (found) => {
    const { name, words, from, end } = found
    const formStated = tables.legalForms[name] !== 0
    const sameWords = formStated || tables.wordStart[name + 1]! - tables.wordStart[name]! === end - from
    const isListed = sameWords && writtenLetters(tables, name) === words.slice(from, end).join("")
    if (isListed && saysEnough(tables, name, form, formStated)) visit(found)
  })
}

/** Words of a query, and what is known of each. */
interface AskedWords {
  readonly words: readonly string[]
  /** The listed word; `UNLISTED`, and `TAKEN` for a word of a legal form. */
  readonly ids: readonly number[]
}
const UNLISTED = -1
const TAKEN = -2

/**
 * `tokens` are the words that are left without the legal forms; all of them unless given. They were expanded when the name was compared, so
 * that each is found without reading the vocabulary.
 */
function askedWords({ vocabulary }: NameTables, words: readonly string[], tokens?: readonly string[]): AskedWords {
  const ids: number[] = []
  for (const word of words) {
    const meant = tokens ? (SAME_WORD.get(word) ?? word) : word
    ids.push(tokens?.includes(meant) === false ? TAKEN : (vocabulary.expand(meant).id ?? UNLISTED))
  }
  return { words, ids }
}

/**
 * The names whose letters equal those of words in a row, `withForm` of rows alone that have a word of a legal form, which may say as much as a
 * stated form. The hash proposes: unlike names may share it. A row that cannot say enough is not looked up, and a run of listed words that
 * cannot is not even hashed, as most cannot.
 */
function eachListed(
  { joined, vocabulary }: NameTables,
  { words, ids }: AskedWords,
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
      let said = 0
      let hasForm = false
      for (let end = from + 1; end <= stop; end++) {
        const id = ids[end - 1]!
        hash = hashMore(words[end - 1]!, hash)
        letters += words[end - 1]!.length
        if (id === TAKEN) hasForm = true
        said += id === TAKEN ? CONTAINED.statedForm : vocabulary.telling[id]!
        if (hasForm !== withForm || said < LEAST_INFORMATION) continue
        if (letters < JOINED_LENGTH_MIN || end - from === words.length) continue
        joined.each(hashEnd(hash), (name) => visit({ name, words, from, end }))
      }
    }
  }
}

/** In the listed order, or going round: `Given SURNAME` of a listed `SURNAME, Given`. That both have the same letters is known. */
function hasWords(tables: NameTables, { name, from, end }: Contained, asked: readonly number[]): boolean {
  const listed = wordsOf(tables, name)
  const count = end - from
  if (listed.length !== count) return false
  const startsAt = (start: number) => listed.every((word, at) => asked[from + ((start + at) % count)] === word)
  return listed.some((_, start) => startsAt(start))
}

function writtenLetters({ party, ordinal, partyAt }: NameTables, name: number): string {
  const listed = partyAt(party[name]!)
  return listedForm(listed, listed.names[ordinal[name]!]!.text).letters
}

function saysEnough(tables: NameTables, name: number, { nameClass }: NameForm, formStated: boolean): boolean {
  const { vocabulary } = tables
  if (tables.weak[name] === 1) return false
  const telling = [...wordsOf(tables, name)].filter((word) => vocabulary.telling[word]! > 0)
  const said = telling.reduce((sum, word) => sum + vocabulary.telling[word]!, formStated ? CONTAINED.statedForm : 0)
  if (formStated || telling.length > 1) return said >= CONTAINED.informationMin
  const isOrganisation = tables.types[tables.party[name]!] === ORGANISATION && tables.legalForms[name] === 0
  if (nameClass === "person" || !isOrganisation || said < CONTAINED.loneWordMin) return false
  return vocabulary.lengths[telling[0]!]! >= CONTAINED.loneWordLetters
}

const wordsOf = ({ words, wordStart }: NameTables, name: number): Uint32Array =>
  words.subarray(wordStart[name]!, wordStart[name + 1]!)

/** The same for a reviewer: each listed word agrees with itself; the words around are left over and weigh nothing in the formula. */
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
