/** Words of one meaning, from the tables of trade words and of persons' names. */
import { atFirstUse } from "../../core/at-first-use.ts"
import type { NameClass } from "./name-form.ts"
import { SHORT_FORM_ROWS, SPELLING_ROWS } from "./words/person-words.ts"
import { TRADE_ROWS } from "./words/trade-words.ts"

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
export const meaningsFor: Readonly<Record<NameClass, () => Meanings>> = {
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
