import { COMPANY_WORDS, PARTICLES, SAME_WORD } from "./common-words.ts"
import { consonantSkeleton } from "./consonant-skeleton.ts"
import { HashPairs, hash32, PAIR_VALUE_LIMIT, packPair } from "./hash-pairs.ts"
import { isLegalForm, isMistypedForm } from "./legal-forms.ts"
import { SCORE } from "./parameters.ts"
import { isNumeric, tokenSimilarity, WORD_LENGTH_MAX } from "./token-similarity.ts"

/** The listed words a query word may stand for. */
export interface Expansion {
  readonly words: Uint32Array
  readonly similarities: Float64Array
  /** Postings that must be read to follow it. */
  readonly cost: number
  /** What the query word itself weighs. */
  readonly weight: number
  /** One letter from a legal form, so at either end of a name probably that form. */
  readonly mistypedForm: boolean
}

const WORD_SEED = 2166136261
const SKELETON_SEED = 374761393
const SHORTENED_SKELETON_SEED = 668265263
/** Just under `pairSimilarityMin`, so that a pair at the border is decided by the score and not by rounding here. */
const EXPANSION_SIMILARITY_MIN = 0.68
const CACHED_WORDS_MAX = 65_536
const LONG_SPELLINGS = [...SAME_WORD].filter(([spelling]) => spelling.length >= 8)

/** Every distinct word of the listed names, with its weight and the ways to find it from a misspelt one. */
export class Vocabulary {
  readonly words: readonly string[]
  readonly weights: Float64Array
  readonly #ids: ReadonlyMap<string, number>
  readonly #names: Uint32Array
  readonly #near: HashPairs
  readonly #expansions = new Map<string, Expansion>()

  /**
   * `ids` maps each word to its number in order of insertion; `namesPerWord` counts the names that hold it.
   * Throws a RangeError above 2^20 words.
   */
  constructor(ids: ReadonlyMap<string, number>, namesPerWord: Uint32Array, names: number) {
    if (ids.size >= PAIR_VALUE_LIMIT)
      throw new RangeError(`${ids.size} distinct words are more than the index can number`)
    this.words = [...ids.keys()]
    this.#ids = ids
    this.#names = namesPerWord
    const scale = Math.log(1 + names)
    this.weights = Float64Array.from(this.words, (word, id) =>
      weightOf(word, Math.log(1 + names / namesPerWord[id]!) / scale),
    )
    this.#near = new HashPairs(this.words.flatMap(nearKeys))
  }

  idOf(word: string): number | undefined {
    return this.#ids.get(word)
  }

  /** In how many names the word stands; 0 for a word that is not listed. */
  namesWith(word: string): number {
    const id = this.#ids.get(word)
    return id === undefined ? 0 : this.#names[id]!
  }

  expand(word: string): Expansion {
    const known = this.#expansions.get(word)
    if (known) return known
    const found = this.#similarWords(word)
    let cost = 0
    for (const id of found.keys()) cost += this.#names[id]!
    const expansion = {
      words: Uint32Array.from(found.keys()),
      similarities: Float64Array.from(found.values()),
      cost,
      weight: this.#weightInQuery(word),
      mistypedForm: isMistypedForm(word),
    }
    if (this.#expansions.size >= CACHED_WORDS_MAX) this.#expansions.clear()
    this.#expansions.set(word, expansion)
    return expansion
  }

  #similarWords(word: string): Map<number, number> {
    const found = new Map<number, number>()
    const exact = this.#ids.get(word)
    if (exact !== undefined) found.set(exact, 1)
    if (word.length < 3 || word.length > WORD_LENGTH_MAX || isNumeric(word) || COMPANY_WORDS.has(word)) return found
    const seen = new Set<number>(found.keys())
    const consider = (id: number) => {
      if (seen.has(id)) return
      seen.add(id)
      const similarity = tokenSimilarity(word, this.words[id]!)
      if (similarity >= EXPANSION_SIMILARITY_MIN) found.set(id, similarity)
    }
    for (const hash of lookupHashes(word)) this.#near.each(hash, consider)
    // `indqstries` resembles no listed word, because the index holds `industry` for `industries`.
    for (const [spelling, meant] of LONG_SPELLINGS) {
      const id = this.#ids.get(meant)
      const similarity = id === undefined ? 0 : tokenSimilarity(word, spelling)
      if (id !== undefined && similarity >= EXPANSION_SIMILARITY_MIN && similarity > (found.get(id) ?? 0))
        found.set(id, similarity)
    }
    return found
  }

  #weightInQuery(word: string): number {
    const id = this.#ids.get(word)
    if (id !== undefined) return this.weights[id]!
    // A misspelt `incorporatd` must not look like the rarest word of the name.
    if (word.length >= 5)
      for (const known of COMPANY_WORDS)
        if (known.length >= 5 && tokenSimilarity(word, known) >= 0.8) return SCORE.weightCompanyWord
    if (isLegalForm(word)) return SCORE.weightCompanyWord
    return word.length <= 3 ? SCORE.weightUnknownShort : weightOf(word, 1)
  }
}

/** `rarity` is 0 for a word in every name, 1 for a word in none. */
function weightOf(word: string, rarity: number): number {
  if (PARTICLES.has(word)) return SCORE.weightParticle
  if (COMPANY_WORDS.has(word) || isLegalForm(word)) return SCORE.weightCompanyWord
  return Math.max(SCORE.weightMin, Math.min(1, 0.1 + 0.9 * rarity))
}

/** The word with one letter left out, once per run of equal letters. */
function* shortened(word: string): Generator<string> {
  for (let at = 0; at < word.length; at++)
    if (at === 0 || word[at] !== word[at - 1]) yield word.slice(0, at) + word.slice(at + 1)
}

function nearKeys(word: string, id: number): number[] {
  if (word.length < 3 || word.length > WORD_LENGTH_MAX || isNumeric(word)) return []
  const keys = [packPair(hash32(word, WORD_SEED), id)]
  for (const short of shortened(word)) keys.push(packPair(hash32(short, WORD_SEED), id))
  const skeleton = consonantSkeleton(word)
  if (skeleton.length >= 2) keys.push(packPair(hash32(skeleton, SKELETON_SEED), id))
  if (skeleton.length >= 5)
    for (const short of shortened(skeleton)) keys.push(packPair(hash32(short, SHORTENED_SKELETON_SEED), id))
  return keys
}

function lookupHashes(word: string): number[] {
  const hashes = [hash32(word, WORD_SEED)]
  for (const short of shortened(word)) hashes.push(hash32(short, WORD_SEED))
  const skeleton = consonantSkeleton(word)
  if (skeleton.length >= 2) hashes.push(hash32(skeleton, SKELETON_SEED))
  if (skeleton.length >= 4) hashes.push(hash32(skeleton, SHORTENED_SKELETON_SEED))
  if (skeleton.length >= 5)
    for (const short of shortened(skeleton))
      hashes.push(hash32(short, SKELETON_SEED), hash32(short, SHORTENED_SKELETON_SEED))
  return hashes
}
