import type { NameClass } from "./name-form.ts"
import { isTradeWord, meaningsFor } from "./same-meaning.ts"
import type { Expansion, Vocabulary } from "./vocabulary.ts"

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
      pairCost: alike.pairCost + cost - alike.cost,
    }
    this.#known[nameClass].set(word, expansion)
    return expansion
  }
}
