import { Cache } from "../../core/cache.ts"
import { JOINED_LENGTH_MIN } from "./listed-names.ts"
import { SEARCH, WORDS } from "./parameters.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"
import type { Vocabulary } from "./vocabulary.ts"

type Split = readonly [string, string]
const CACHED_SPLITS_MAX = 65_536

/** Reads the words of a query with another space: two joined, or one split into listed words. */
export class WordSpaces {
  readonly #vocabulary: Vocabulary
  /** Whether a key beside the space bar is read as a space. */
  readonly #readsKeys: boolean
  readonly #splits = new Cache<string, Split | null>({ max: CACHED_SPLITS_MAX })

  constructor(vocabulary: Vocabulary, readsKeys: boolean) {
    this.#vocabulary = vocabulary
    this.#readsKeys = readsKeys
  }

  /** Returns the words as written, then with two neighbours joined or one unknown word split, if the list contains the result. */
  variantsOf(tokens: readonly string[]): (readonly string[])[] {
    const variants = [tokens]
    if (tokens.length > SEARCH.variantWordsMax) return variants
    const vocabulary = this.#vocabulary
    for (let at = 0; at + 1 < tokens.length; at++) {
      const joined = tokens[at]! + tokens[at + 1]!
      if (joined.length >= JOINED_LENGTH_MIN && vocabulary.idOf(joined) !== undefined)
        variants.push([...tokens.slice(0, at), joined, ...tokens.slice(at + 2)])
    }
    for (const [at, word] of tokens.entries()) {
      if (word.length < 6 || word.length > WORD_LENGTH_MAX || vocabulary.namesWith(word) >= 3) continue
      const split = this.#splitOf(word)
      if (split !== null) variants.push([...tokens.slice(0, at), ...split, ...tokens.slice(at + 1)])
      const mistyped = this.#readsKeys ? this.#splitAtKey(word) : null
      if (mistyped !== null) variants.push([...tokens.slice(0, at), ...mistyped, ...tokens.slice(at + 1)])
    }
    return variants.slice(0, SEARCH.variantsMax)
  }

  /** Returns the most likely split into two listed words: both frequent, neither very short. */
  #splitOf(word: string): Split | null {
    const known = this.#splits.get(word)
    if (known !== undefined) return known
    const split = this.#findSplit(word)
    this.#splits.set(word, split)
    return split
  }

  #findSplit(word: string): Split | null {
    const vocabulary = this.#vocabulary
    let best: Split | null = null
    let most = 0
    for (let at = 2; at <= word.length - 2; at++) {
      const left = vocabulary.namesWith(word.slice(0, at))
      if (left === 0) continue
      const right = vocabulary.namesWith(word.slice(at))
      if (right === 0) continue
      const likelihood = Math.min(left, right) + 2 * Math.min(at, word.length - at)
      if (likelihood <= most) continue
      most = likelihood
      best = [word.slice(0, at), word.slice(at)]
    }
    return best
  }

  /** Returns the two listed words of a word in which a key beside the space bar replaces the space: `sepahbbank`. */
  #splitAtKey(word: string): Split | null {
    const vocabulary = this.#vocabulary
    if (vocabulary.idOf(word) !== undefined) return null
    for (let at = WORDS.splitLengthMin; at < word.length - WORDS.splitLengthMin; at++) {
      if (!WORDS.besideSpace.includes(word[at]!)) continue
      const split = [word.slice(0, at), word.slice(at + 1)] as const
      if (split.every((part) => vocabulary.idOf(part) !== undefined)) return split
    }
    return null
  }
}
