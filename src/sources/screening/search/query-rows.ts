import { WORDS_MAX } from "../name-form.ts"
import { SCORE } from "../parameters.ts"
import type { QueryWords } from "../query-words.ts"
import type { Vocabulary } from "../vocabulary.ts"

/** Rows at the start; a query with more words gets more. */
const ROWS = 256

/**
 * The listed words that the words of one query may pair with. Each has a row, which is valid while the stamp of the word is the number of
 * the load.
 */
export class QueryRows {
  readonly #vocabulary: Vocabulary
  readonly stamps: Uint32Array
  readonly rowOf: Uint32Array
  load = 0
  /** A bit for each place of the query whose word is similar to the listed word. */
  similar = new Uint16Array(ROWS)
  /** Similarity to the word at such a place: row times `WORDS_MAX` plus place. */
  similarities = new Float64Array(ROWS * WORDS_MAX)
  /** A bit for each place of the query whose word may pair with the listed word. */
  places = new Uint16Array(ROWS)
  /** The most that a pair with the listed word agrees. */
  most = new Float64Array(ROWS)
  /** For each place of the query, the most that a pair with any listed word agrees. Initials are left out. */
  readonly mostAt = new Float64Array(WORDS_MAX)
  /** Number of words of the query. */
  count = 0
  /** A letter may be an initial. */
  hasInitials = false
  #rows = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
    this.stamps = new Uint32Array(vocabulary.size)
    this.rowOf = new Uint32Array(vocabulary.size)
  }

  /** Loads a query of `count` words. */
  set(query: QueryWords, count: number, hasInitials: boolean): void {
    if (++this.load === 0xffff_ffff) {
      this.stamps.fill(0)
      this.load = 1
    }
    this.count = count
    this.hasInitials = hasInitials
    this.#rows = 0
    for (let place = 0; place < count; place++) {
      const { words, similarities, misspelled, initial } = query.expansions[place]!
      const weight = query.weights[place]!
      let most = 0
      for (let k = 0; k < words.length; k++) {
        most = Math.max(most, this.#pair(place, words[k]!, weight, similarities[k]!))
        const row = this.rowOf[words[k]!]!
        this.similar[row]! |= 1 << place
        this.similarities[row * WORDS_MAX + place] = similarities[k]!
      }
      // At least one letter of the longer word differs.
      const similarity = 1 - 1 / (query.lengths[place]! + 1)
      for (let k = 0; k < misspelled.length; k++)
        most = Math.max(most, this.#pair(place, misspelled[k]!, weight, similarity))
      this.mostAt[place] = most
      if (hasInitials && initial !== undefined) this.#pair(place, initial, weight, SCORE.initialWeight)
    }
  }

  /** Returns the most that a pair with a word of the loaded query agrees. */
  mostOf(word: number): number {
    return this.most[this.rowOf[word]!]!
  }

  /** Notes that the words may pair, and returns how much they agree. */
  #pair(place: number, word: number, weight: number, share: number): number {
    if (this.stamps[word] !== this.load) {
      this.stamps[word] = this.load
      this.rowOf[word] = this.#rows
      this.#clear(this.#rows++)
    }
    const row = this.rowOf[word]!
    const agreed = (share * (weight + this.#vocabulary.weights[word]!)) / 2
    this.places[row]! |= 1 << place
    if (agreed > this.most[row]!) this.most[row] = agreed
    return agreed
  }

  #clear(row: number): void {
    if (row === this.most.length) {
      this.similarities = doubled(this.similarities)
      this.similar = doubled(this.similar)
      this.places = doubled(this.places)
      this.most = doubled(this.most)
    }
    this.similar[row] = 0
    this.places[row] = 0
    this.most[row] = 0
  }
}

function doubled<Values extends Float64Array | Uint16Array>(values: Values): Values {
  const larger = new (values.constructor as new (length: number) => Values)(values.length * 2)
  larger.set(values)
  return larger
}
