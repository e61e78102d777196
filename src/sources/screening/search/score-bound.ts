/**
 * Judges whether a name can reach the least score at all, at a small part of the cost of its score. Each listed word counts as if it
 * paired as well as any word of the query allows, and each word of the query that may pair counts as paired:
 *
 *   s <= A / (A + unmatchedQuery*Uq + unmatchedListed*Uc + contradiction*min(Uq,Uc))
 *
 * A is at least what the pairs of the score agree; Uq and Uc are at most the weights that it leaves over (parameters.ts). All that is left out
 * here lowers a score.
 */
import type { SameMeaning } from "../listed-meanings.ts"
import type { NameTables } from "../name-tables.ts"
import { SCORE, TIERS } from "../parameters.ts"
import type { QueryWords } from "../query-words.ts"
import { EDITS_MAX, LETTERS_APART_MAX, lettersApart } from "../token-similarity.ts"
import type { QueryRows } from "./query-rows.ts"

/** Sums in another order differ by less. */
const ROUNDING = 1e-6
const LEAST = TIERS.nearMissMin - ROUNDING

export class ScoreBound {
  readonly #tables: NameTables
  readonly #query: QueryWords
  readonly #rows: QueryRows
  /** For each listed word, the least weight that it has if it is left over. */
  readonly #leftOver: Float32Array
  /** Places of single letters, which may be the initial of any word of a person's name, and the most that they agree. */
  #initials = 0
  #initialsAgree = 0

  /** `meaning`: null for a scorer that compares spellings alone. */
  constructor(tables: NameTables, meaning: SameMeaning | null, query: QueryWords, rows: QueryRows) {
    this.#tables = tables
    this.#query = query
    this.#rows = rows
    const { weights, lengths, size } = tables.vocabulary
    this.#leftOver = new Float32Array(size)
    for (let word = 0; word < size; word++)
      if (!meaning?.isTrade(word))
        this.#leftOver[word] = weights[word]! * (lengths[word] === 1 ? SCORE.singleLetterLeftOver : 1)
  }

  /** Follows each load of the rows. */
  set(): void {
    this.#initials = 0
    this.#initialsAgree = 0
    if (!this.#rows.hasInitials) return
    for (let place = 0; place < this.#rows.count; place++) {
      if (this.#query.lengths[place] !== 1) continue
      this.#initials |= 1 << place
      this.#initialsAgree += (SCORE.initialWeight * (this.#query.weights[place]! + 1)) / 2
    }
  }

  /**
   * Returns how much a pair of the word at `place` must agree, so that a name without a pair at the places `passed` may reach the score. All
   * other words of the query may agree as well as any listed word allows.
   */
  leastWithout(passed: number, place: number): number {
    const missed = passed & ~this.#initials
    let agreed = this.#initialsAgree
    let queryRest = 0
    for (let other = 0; other < this.#rows.count; other++)
      if (missed & (1 << other)) queryRest += this.#query.leastWeightAt(other)
      else if (other !== place && !(passed & (1 << other))) agreed += this.#rows.mostAt[other]!
    return (LEAST * SCORE.unmatchedQuery * queryRest) / (1 - LEAST) - agreed
  }

  /** Returns whether a name without a pair at the places `passed` may lack only its last word. */
  mayBeLast(passed: number): boolean {
    return isOneAtMost(passed & ~this.#initials)
  }

  /** False is certain, true is not. */
  mayReach(name: number, person: boolean): boolean {
    const { words, wordStart } = this.#tables
    const { stamps, rowOf, places, most, load, count } = this.#rows
    const first = wordStart[name]!
    const end = wordStart[name + 1]!
    let paired = 0
    let agreed = 0
    let listedRest = 0
    for (let at = first; at < end; at++) {
      const word = words[at]!
      if (stamps[word] === load) {
        const row = rowOf[word]!
        paired |= places[row]!
        agreed += most[row]!
      } else listedRest += this.#leftOver[word]!
    }
    if (person && this.#initials !== 0) {
      paired |= this.#initials
      agreed += this.#initialsAgree
      // An initial may pair with any of them.
      listedRest = 0
    }
    const all = (1 << count) - 1
    const left = ~paired & all
    // If the last words have two edits, that of the query may still be similar to a word of the name that pairs with another one.
    const isLast = isOneAtMost(left) && count === end - first
    if (isLast && this.#mayBeMisspelled(left === 0 ? all : left, name)) return true
    let queryRest = 0
    for (let place = 0; place < count; place++) if (left & (1 << place)) queryRest += this.#query.leastWeightAt(place)
    const share = person ? SCORE.unmatchedListedPerson : SCORE.unmatchedListedOther
    const rest =
      SCORE.unmatchedQuery * queryRest + share * listedRest + SCORE.contradiction * Math.min(queryRest, listedRest)
    return agreed >= LEAST * (agreed + rest)
  }

  /** Returns whether a word of the query at one of `places` may be a word of the name with two edits. `places`: a bit for each. */
  #mayBeMisspelled(places: number, name: number): boolean {
    const { words, wordStart, vocabulary } = this.#tables
    const end = wordStart[name + 1]!
    for (let left = places; left !== 0; left &= left - 1) {
      const place = 31 - Math.clz32(left & -left)
      const length = this.#query.lengths[place]!
      const letters = this.#query.letters[place]!
      for (let at = wordStart[name]!; at < end; at++) {
        const word = words[at]!
        if (Math.abs(vocabulary.lengths[word]! - length) > EDITS_MAX) continue
        if (lettersApart(vocabulary.letters[word]!, letters) <= LETTERS_APART_MAX) return true
      }
    }
    return false
  }
}

/** `places`: a bit for each. */
const isOneAtMost = (places: number): boolean => (places & (places - 1)) === 0
