/** Finds the listed words that mean the same as a query word, besides those that are spelled alike. */
import { atFirstUse } from "../../core/at-first-use.ts"
import type { NameClass } from "./name-form.ts"
import { SHORT_FORM_ROWS, SPELLING_ROWS } from "./person-words.ts"
import { TRADE_ROWS } from "./trade-words.ts"
import type { Expansion, Vocabulary } from "./vocabulary.ts"

/** Similarity of two words of one row. */
export const MEANING = { trade: 0.9, spelling: 0.95, shortForm: 0.9 } as const

type Meanings = ReadonlyMap<string, ReadonlyMap<string, number>>

function add(meanings: Map<string, Map<string, number>>, words: readonly [string, string], similarity: number): void {
  const [word, other] = words
  if (word === other) return
  const known = meanings.get(word) ?? new Map<string, number>()
  known.set(other, Math.max(similarity, known.get(other) ?? 0))
  meanings.set(word, known)
}

const tradeMeanings = atFirstUse((): Meanings => {
  const meanings = new Map<string, Map<string, number>>()
  for (const row of TRADE_ROWS) for (const a of row) for (const b of row) add(meanings, [a, b], MEANING.trade)
  return meanings
})

const personMeanings = atFirstUse((): Meanings => {
  const meanings = new Map<string, Map<string, number>>()
  for (const row of SPELLING_ROWS) for (const a of row) for (const b of row) add(meanings, [a, b], MEANING.spelling)
  for (const [long, ...shorts] of SHORT_FORM_ROWS)
    for (const short of shorts) {
      add(meanings, [short, long!], MEANING.shortForm)
      add(meanings, [long!, short], MEANING.shortForm)
    }
  return meanings
})

/** The rows belong to the names of persons, or to those of all other parties. A query of unknown type may be either. */
const meaningsFor: Readonly<Record<NameClass, () => Meanings>> = {
  person: personMeanings,
  org: tradeMeanings,
  unknown: atFirstUse(() => {
    const both = new Map<string, Map<string, number>>()
    for (const meanings of [tradeMeanings(), personMeanings()])
      for (const [word, others] of meanings)
        for (const [other, similarity] of others) add(both, [word, other], similarity)
    return both
  }),
}

export const isTradeWord = (word: string): boolean => tradeMeanings().has(word)

/** Returns whether both words are in one row. */
export const meanTheSame = (a: string, b: string): boolean => meaningsFor.unknown().get(a)?.has(b) ?? false

/** Adds the listed words of one meaning to the words that are spelled alike. The tables bound the number of kept expansions. */
export class SameMeaning {
  readonly #vocabulary: Vocabulary
  readonly #known: Readonly<Record<NameClass, Map<string, Expansion>>> = {
    ...{ person: new Map(), org: new Map(), unknown: new Map() },
  }

  /** For each listed word, 1 for a trade word and 2 for another; 0 if nobody asked yet. */
  readonly #trades: Uint8Array

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.#trades = new Uint8Array(vocabulary.size)
  }

  /** `word`: its number in the vocabulary. */
  isTrade(word: number): boolean {
    this.#trades[word] ||= isTradeWord(this.#vocabulary.wordAt(word)) ? 1 : 2
    return this.#trades[word] === 1
  }

  expand(word: string, nameClass: NameClass): Expansion {
    const alike = this.#vocabulary.expand(word)
    const others = meaningsFor[nameClass]().get(word)
    if (others === undefined) return alike
    const known = this.#known[nameClass].get(word)
    if (known) return known
    const found = new Map<number, number>()
    for (const [at, id] of alike.words.entries()) found.set(id, alike.similarities[at]!)
    for (const [other, similarity] of others) {
      const id = this.#vocabulary.idOf(other)
      if (id !== undefined) found.set(id, Math.max(similarity, found.get(id) ?? 0))
    }
    let cost = 0
    for (const id of found.keys()) cost += this.#vocabulary.namesWithId(id)
    const expansion = {
      ...alike,
      words: Uint32Array.from(found.keys()),
      similarities: Float64Array.from(found.values()),
      cost,
    }
    this.#known[nameClass].set(word, expansion)
    return expansion
  }
}
