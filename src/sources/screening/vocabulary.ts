import { Cache } from "../../core/cache.ts"
import { COMPANY_WORDS, PARTICLES, SAME_WORD } from "./common-words.ts"
import { consonantSkeleton } from "./consonant-skeleton.ts"
import { HashPairs, hash32, PAIR_VALUE_LIMIT, packPair } from "./hash-pairs.ts"
import { isLegalForm, isMistypedForm, isNearForm } from "./legal-forms.ts"
import { type PackedTexts, packTexts, TextTable } from "./packed-texts.ts"
import { CONTAINED, SCORE, SEARCH } from "./parameters.ts"
import {
  DIGIT_END,
  isNumeric,
  letterSet,
  lettersApart,
  shortTypoSimilarity,
  tokenSimilarity,
  WORD_LENGTH_MAX,
} from "./token-similarity.ts"

/** The listed words that a query word may match. */
export interface Expansion {
  /** The word itself, where it is listed. */
  readonly id: number | undefined
  readonly words: Uint32Array
  readonly similarities: Float64Array
  /** All other listed words that the word misspells in the sense of `typoSimilarity` beside other unpaired words, and some more. */
  readonly misspelled: Uint32Array
  /** The first letter or digit, where it is a listed word. */
  readonly initial: number | undefined
  /** Number of postings to read. */
  readonly cost: number
  /** Number of postings of all words that it may pair with. */
  readonly pairCost: number
  /** Number of postings of the words that are spelled alike, without those of one meaning (same-meaning.ts). */
  readonly alikeCost: number
  /** Weight of the query word itself. */
  readonly weight: number
  /** One letter away from a legal form, so at either end of a name it is probably that form. */
  readonly mistypedForm: boolean
  /** One letter away from any legal form, also a two-letter one: probably that form if the listed name states one. */
  readonly nearForm: boolean
}

const WORD_SEED = 2166136261
const SKELETON_SEED = 374761393
const SHORTENED_SKELETON_SEED = 668265263
const ADJACENT_SEED = 2246822519
/** Shortest word that may differ from another in two adjacent letters, see `shortTypoSimilarity`. */
const ADJACENT_EDITS_LENGTH = 7
const NONE: ReadonlySet<number> = new Set()
const CACHED_WORDS_MAX = 65_536
const LONG_SPELLINGS = [...SAME_WORD].filter(([spelling]) => spelling.length >= 8)

/** The data of a {@link Vocabulary}: only typed arrays, built in a thread and transferred. */
export interface VocabularyTables {
  readonly texts: PackedTexts
  /** The number of slots is a power of two. A slot holds 0, or the number of a word plus 1, at its hash or the next free slot. */
  readonly slots: Uint32Array
  /** For each word, the number of names that contain it. */
  readonly names: Uint32Array
  readonly weights: Float64Array
  /** For each word, the information that it adds to a name inside a longer one, see contained-name.ts. */
  readonly telling: Float64Array
  /** For each word, data that needs no decoding: letter count (at most 255), code of the first letter, set of its letters. */
  readonly lengths: Uint8Array
  readonly firsts: Uint8Array
  readonly letters: Uint32Array
  /** Sorted `packPair` of the hash of each near spelling and the word. */
  readonly near: Float64Array
}

/** How many of all names, and how many of all parties, contain each word. */
interface WordCounts {
  readonly names: number
  readonly namesPerWord: Uint32Array
  readonly parties: number
  readonly partiesPerWord: Uint32Array
}

/** Throws a RangeError above 2^20 words. */
export function vocabularyTables(words: readonly string[], counts: WordCounts): VocabularyTables {
  if (words.length >= PAIR_VALUE_LIMIT)
    throw new RangeError(`${words.length} distinct words are more than the index can number`)
  const { names, namesPerWord, parties, partiesPerWord } = counts
  return {
    texts: packTexts(words),
    slots: slotsOf(words),
    names: namesPerWord,
    weights: Float64Array.from(words, (word, id) => weightOf(word, rarity(namesPerWord[id]!, names))),
    telling: Float64Array.from(words, (word, id) => tellingOf(word, rarity(partiesPerWord[id]!, parties))),
    lengths: Uint8Array.from(words, ({ length }) => Math.min(length, 255)),
    firsts: Uint8Array.from(words, (word) => word.charCodeAt(0)),
    letters: Uint32Array.from(words, letterSet),
    near: Float64Array.from(words.flatMap(nearKeys)).sort(),
  }
}

/** At most half of the slots are used, so that a word is found after one or two steps. */
function slotsOf(words: readonly string[]): Uint32Array {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * words.length + 2)))
  for (const [id, word] of words.entries()) {
    let at = hash32(word, WORD_SEED) & (slots.length - 1)
    while (slots[at] !== 0) at = (at + 1) & (slots.length - 1)
    slots[at] = id + 1
  }
  return slots
}

/** Every distinct word of the listed names, with its weight and its index of near spellings. */
export class Vocabulary {
  readonly size: number
  readonly weights: Float64Array
  readonly telling: Float64Array
  readonly lengths: Uint8Array
  readonly firsts: Uint8Array
  readonly letters: Uint32Array
  readonly #texts: TextTable
  readonly #slots: Uint32Array
  readonly #names: Uint32Array
  readonly #near: HashPairs
  readonly #expansions = new Cache<string, Expansion>({ max: CACHED_WORDS_MAX })

  constructor({ texts, slots, names, weights, telling, lengths, firsts, letters, near }: VocabularyTables) {
    this.size = weights.length
    this.weights = weights
    this.telling = telling
    this.lengths = lengths
    this.firsts = firsts
    this.letters = letters
    this.#texts = new TextTable(texts)
    this.#slots = slots
    this.#names = names
    this.#near = new HashPairs(near)
  }

  wordAt(id: number): string {
    return this.#texts.at(id)
  }

  idOf(word: string): number | undefined {
    const last = this.#slots.length - 1
    for (let at = hash32(word, WORD_SEED) & last; this.#slots[at] !== 0; at = (at + 1) & last)
      if (this.#texts.at(this.#slots[at]! - 1) === word) return this.#slots[at]! - 1
    return undefined
  }

  /** Returns the number of names that contain the word; 0 for an unlisted word. */
  namesWith(word: string): number {
    const id = this.idOf(word)
    return id === undefined ? 0 : this.#names[id]!
  }

  namesWithId(id: number): number {
    return this.#names[id]!
  }

  expand(word: string): Expansion {
    const known = this.#expansions.get(word)
    if (known) return known
    const id = this.idOf(word)
    const proposed = isNear(word) ? this.#proposed(lookupHashes(word)) : NONE
    const found = this.#similarWords(word, id, proposed)
    const misspelled = this.#misspelled(word, proposed)
    const initial = this.idOf(word.slice(0, 1))
    const cost = this.#namesWithAll(found.keys())
    const expansion = {
      id,
      words: Uint32Array.from(found.keys()),
      similarities: Float64Array.from(found.values()),
      misspelled,
      initial,
      cost,
      pairCost: cost + this.#namesWithAll(misspelled),
      alikeCost: cost,
      weight: this.#weightInQuery(word),
      mistypedForm: isMistypedForm(word),
      nearForm: isNearForm(word),
    }
    this.#expansions.set(word, expansion)
    return expansion
  }

  /** The words that share one of the hashes, in the order in which they are found. */
  #proposed(hashes: readonly number[]): Set<number> {
    const ids = new Set<number>()
    for (const hash of hashes) this.#near.each(hash, (id) => ids.add(id))
    return ids
  }

  #namesWithAll(ids: Iterable<number>): number {
    let names = 0
    for (const id of ids) names += this.#names[id]!
    return names
  }

  #similarWords(word: string, exact: number | undefined, proposed: ReadonlySet<number>): Map<number, number> {
    const found = new Map<number, number>()
    if (exact !== undefined) found.set(exact, 1)
    if (!isNear(word) || COMPANY_WORDS.has(word)) return found
    for (const id of proposed) {
      if (id === exact) continue
      const similarity = tokenSimilarity(word, this.wordAt(id))
      if (similarity >= SEARCH.expansionSimilarityMin) found.set(id, similarity)
    }
    // `indqstries` resembles no listed word, because the index stores `industry` for `industries`.
    for (const [spelling, meant] of LONG_SPELLINGS) {
      const id = this.idOf(meant)
      const similarity = id === undefined ? 0 : tokenSimilarity(word, spelling)
      if (id !== undefined && similarity >= SEARCH.expansionSimilarityMin && similarity > (found.get(id) ?? 0))
        found.set(id, similarity)
    }
    return found
  }

  #misspelled(word: string, proposed: ReadonlySet<number>): Uint32Array {
    if (!isNear(word) && !isPair(word)) return Uint32Array.of()
    const letters = letterSet(word)
    const mayBe = (id: number) =>
      Math.abs(this.lengths[id]! - word.length) <= 1 && lettersApart(this.letters[id]!, letters) <= 4
    return Uint32Array.from([...proposed, ...this.#proposed(misspelledHashes(word))].filter(mayBe))
  }

  #weightInQuery(word: string): number {
    const id = this.idOf(word)
    if (id !== undefined) return this.weights[id]!
    // A misspelt `incorporatd` must not look like the rarest word of the name.
    if (word.length >= 4)
      for (const known of COMPANY_WORDS)
        if (known.length >= 5 && Math.max(tokenSimilarity(word, known), shortTypoSimilarity(word, known)) >= 0.7)
          return SCORE.weightCompanyWord
    if (isLegalForm(word)) return SCORE.weightCompanyWord
    return word.length <= 3 ? SCORE.weightUnknownShort : weightOf(word, 1)
  }
}

const rarity = (holders: number, all: number): number => Math.log(1 + all / holders) / Math.log(1 + all)

/** Numbers distinguish units of a party, not parties. */
const tellingOf = (word: string, rarity: number): number =>
  word.charCodeAt(0) < DIGIT_END ? 0 : Math.max(0, weightOf(word, rarity) - CONTAINED.ordinaryWeight)

/** `rarity` is near 0 for a word in all names, and 1 for a word in one name. */
function weightOf(word: string, rarity: number): number {
  if (PARTICLES.has(word)) return SCORE.weightParticle
  if (COMPANY_WORDS.has(word) || isLegalForm(word)) return SCORE.weightCompanyWord
  return Math.max(SCORE.weightMin, Math.min(1, 0.1 + 0.9 * rarity))
}

/** Yields the word with one letter omitted, once for each run of equal letters. */
function* shortened(word: string): Generator<string> {
  for (let at = 0; at < word.length; at++)
    if (at === 0 || word[at] !== word[at - 1]) yield word.slice(0, at) + word.slice(at + 1)
}

/** Yields the word with two adjacent letters omitted. */
function* withoutNeighbours(word: string): Generator<string> {
  for (let at = 0; at + 1 < word.length; at++) yield word.slice(0, at) + word.slice(at + 2)
}

/** Returns whether the index relates the word to its near spellings. */
const isNear = (word: string): boolean => word.length >= 3 && word.length <= WORD_LENGTH_MAX && !isNumeric(word)

function nearKeys(word: string, id: number): number[] {
  if (isPair(word)) return pairHashes(word).map((hash) => packPair(hash, id))
  if (!isNear(word)) return []
  const keys = [packPair(hash32(word, WORD_SEED), id)]
  for (const short of shortened(word)) keys.push(packPair(hash32(short, WORD_SEED), id))
  const skeleton = consonantSkeleton(word)
  if (skeleton.length >= 2) keys.push(packPair(hash32(skeleton, SKELETON_SEED), id))
  if (skeleton.length >= 5)
    for (const short of shortened(skeleton)) keys.push(packPair(hash32(short, SHORTENED_SKELETON_SEED), id))
  if (word.length >= ADJACENT_EDITS_LENGTH)
    for (const short of withoutNeighbours(word)) keys.push(packPair(hash32(short, ADJACENT_SEED), id))
  return keys
}

/** No such word is similar to another, but it may be misspelled. */
const isPair = (word: string): boolean => word.length === 2 && !isNumeric(word)

const pairHashes = (word: string): number[] => [word, ...word].map((part) => hash32(part, ADJACENT_SEED))

/** More hashes of the words that this one may misspell: two neighbours differ, or one of the words has two letters. */
function misspelledHashes(word: string): number[] {
  if (isPair(word)) return [...pairHashes(word), hash32(word, WORD_SEED)]
  const hashes: number[] = []
  if (word.length === 3) for (const short of shortened(word)) hashes.push(hash32(short, ADJACENT_SEED))
  // The longer word has at least seven letters.
  if (word.length >= ADJACENT_EDITS_LENGTH - 1)
    for (const short of shortened(word)) hashes.push(hash32(short, ADJACENT_SEED))
  if (word.length >= ADJACENT_EDITS_LENGTH)
    for (const short of withoutNeighbours(word)) hashes.push(hash32(short, ADJACENT_SEED), hash32(short, WORD_SEED))
  return hashes
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
