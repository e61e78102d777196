import { PERSON } from "../listed-names.ts"
import type { NameTables } from "../name-tables.ts"
import type { NameScorer } from "../score.ts"

/** Which names contain each word, as in the tables. */
type Postings = Pick<NameTables, "postingStart" | "postings">

const ANY_COUNT = 0

/**
 * Finds the names that may reach the least score. It reads the names of the words that may pair with a word of the query, the rarest word of
 * the query first. Then a name that was not found lacks that word, so fewer words can lift it to the score: the names of common words are
 * seldom read. Two kinds of names lose nothing by a word that they lack, and are read apart: names with as many words as the query,
 * because their last word may have two edits, and persons with an initial. Holds scratch memory; one thread uses it.
 */
export class Candidates {
  readonly #tables: NameTables
  readonly #scorer: NameScorer
  readonly #withInitials: Postings
  readonly #stamps: Uint32Array
  #generation = 0
  /** The names that were found last, in the first places. */
  readonly names: Uint32Array
  #found = 0

  constructor(tables: NameTables, scorer: NameScorer) {
    this.#tables = tables
    this.#scorer = scorer
    this.#withInitials = postingsWithInitials(tables)
    this.#stamps = new Uint32Array(tables.names)
    this.names = new Uint32Array(tables.names)
  }

  /** Returns the number of names found for the query that the scorer has loaded. */
  find(): number {
    if (++this.#generation === 0xffff_ffff) {
      this.#stamps.fill(0)
      this.#generation = 1
    }
    this.#found = 0
    const { words, bound, rows } = this.#scorer
    let passed = 0
    for (const place of placesByCost(rows.count, (at) => words.expansions[at]!.pairCost)) {
      const least = bound.leastWithout(passed, place)
      const mayBeLast = bound.mayBeLast(passed)
      const { words: alike, misspelled } = words.expansions[place]!
      for (let k = 0; k < alike.length; k++) {
        const word = alike[k]!
        if (rows.mostOf(word) >= least) this.#read(this.#tables, word, ANY_COUNT)
        else {
          if (mayBeLast) this.#read(this.#tables, word, rows.count)
          if (rows.hasInitials) this.#read(this.#withInitials, word, ANY_COUNT)
        }
      }
      for (let k = 0; k < misspelled.length; k++) {
        const word = misspelled[k]!
        if (rows.mostOf(word) >= least) this.#read(this.#tables, word, ANY_COUNT)
        else if (mayBeLast) this.#read(this.#tables, word, rows.count)
      }
      passed |= 1 << place
    }
    return this.#found
  }

  /** Adds the names that have this word: those of `words` words, or all. */
  #read({ postingStart, postings }: Postings, word: number, words: number): void {
    const { wordStart } = this.#tables
    const stamps = this.#stamps
    const generation = this.#generation
    const end = postingStart[word + 1]!
    for (let at = postingStart[word]!; at < end; at++) {
      const name = postings[at]!
      if (stamps[name] === generation) continue
      if (words !== ANY_COUNT && wordStart[name + 1]! - wordStart[name]! !== words) continue
      stamps[name] = generation
      this.names[this.#found++] = name
    }
  }
}

/** Only the names of persons that have a single letter. */
function postingsWithInitials({
  vocabulary,
  words,
  wordStart,
  types,
  party,
  postingStart,
  postings,
}: NameTables): Postings {
  const hasInitial = party.map((holder, name) => {
    if (types[holder] !== PERSON) return 0
    return words.subarray(wordStart[name]!, wordStart[name + 1]!).some((word) => vocabulary.lengths[word] === 1) ? 1 : 0
  })
  const start = new Uint32Array(postingStart.length)
  const names = new Uint32Array(postings.length)
  let count = 0
  for (let word = 0; word + 1 < start.length; word++) {
    for (let at = postingStart[word]!; at < postingStart[word + 1]!; at++)
      if (hasInitial[postings[at]!] === 1) names[count++] = postings[at]!
    start[word + 1] = count
  }
  return { postingStart: start, postings: names.slice(0, count) }
}

/** The places of `count` words, cheapest first and equal ones in the order of the query. */
export function placesByCost(count: number, costOf: (place: number) => number): number[] {
  const order: number[] = []
  for (let place = 0; place < count; place++) {
    const cost = costOf(place)
    let at = place
    for (; at > 0 && costOf(order[at - 1]!) > cost; at--) order[at] = order[at - 1]!
    order[at] = place
  }
  return order
}
