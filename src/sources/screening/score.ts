import { emptyComparison } from "./comparison.ts"
import { explainScore } from "./explain-score.ts"
import type { SameMeaning } from "./listed-meanings.ts"
import { type NameForm, WORDS_MAX } from "./name-form.ts"
import { addNumberMultiplier, addWordMultipliers, legalFormsDiffer } from "./name-multipliers.ts"
import type { NameTables } from "./name-tables.ts"
import { SCORE, TIERS, WORDS } from "./parameters.ts"
import { QueryWords } from "./query-words.ts"
import { isTradeWord } from "./same-meaning.ts"
import type { ScoreDetail } from "./score-detail.ts"
import { QueryRows } from "./search/query-rows.ts"
import { ScoreBound } from "./search/score-bound.ts"
import { DIGIT_END, lettersApart, typoSimilarity } from "./token-similarity.ts"

/**
 * Compares one query, set by `load`, with listed names by number. Holds scratch arrays, so it must not be used concurrently. Synchronous
 * use in a single thread is safe.
 */
export class NameScorer {
  readonly #tables: NameTables
  /** Null for a scorer that compares spellings alone. */
  readonly #meaning: SameMeaning | null
  #form: NameForm | null = null
  #tokens: readonly string[] = []
  /** The words that were loaded last. */
  readonly words = new QueryWords()
  readonly rows: QueryRows
  readonly bound: ScoreBound
  /** Similar word pairs of the query and the compared name: query position times `WORDS_MAX` plus name position. */
  readonly #likePlace = new Uint8Array(WORDS_MAX * WORDS_MAX)
  readonly #likeness = new Float64Array(WORDS_MAX * WORDS_MAX)
  #likeCount = 0
  /** Words of the name compared that found no pair yet, numbers left out. */
  readonly #leftPlace = new Uint8Array(WORDS_MAX)
  readonly #leftLength = new Uint8Array(WORDS_MAX)
  readonly #leftLetters = new Uint32Array(WORDS_MAX)
  #first = 0
  #listedCount = 0
  readonly #c = emptyComparison()

  constructor(tables: NameTables, meaning: SameMeaning | null) {
    this.#tables = tables
    this.#meaning = meaning
    this.rows = new QueryRows(tables.vocabulary)
    this.bound = new ScoreBound(tables, meaning, this.words, this.rows)
  }

  /** `tokens` is the form's own list or a variant of it (words joined or split), with at most `WORDS_MAX` words. */
  load(form: NameForm, tokens: readonly string[]): void {
    if (this.#form === form && this.#tokens === tokens) return
    this.#form = form
    this.#tokens = tokens
    for (const [at, token] of tokens.entries()) {
      const expansion = this.#meaning?.expand(token, form.nameClass) ?? this.#tables.vocabulary.expand(token)
      this.words.set(tokens, at, expansion)
    }
    this.rows.set(this.words, tokens.length, form.nameClass !== "org")
    this.bound.set()
  }

  /**
   * Returns the name score before the party's own multipliers, 0 to 1. Unpaired words and multipliers only lower a score. A score that is
   * below the minimum is returned early, as it is then.
   */
  score(name: number, person: boolean): number {
    this.#compare(name, person)
    const c = this.#c
    c.multipliers.length = 0
    if (c.alike === 0) return 0
    let agreed = 0
    let weight = 0
    for (let p = 0; p < c.pairs; p++) {
      agreed += c.pairSimilarity[p]! * c.pairWeight[p]!
      weight += c.pairWeight[p]!
    }
    const inexact = weight - agreed
    const queryRest = this.#queryRest(name, person)
    const most = agreed / (weight + SCORE.unmatchedQuery * queryRest)
    if (most < TIERS.nearMissMin) return most
    const leavesTrades = this.#leavesTrades(person)
    const listedRest = this.#listedRest(leavesTrades)
    const listedShare = person ? SCORE.unmatchedListedPerson : SCORE.unmatchedListedOther
    let score =
      agreed /
      (weight +
        SCORE.unmatchedQuery * queryRest +
        listedShare * listedRest +
        SCORE.contradiction * Math.min(queryRest, listedRest) +
        SCORE.inexactAndMissing * Math.min(inexact, listedRest))
    if (score < TIERS.nearMissMin) return score
    this.#findMultipliers(name, person, queryRest + listedRest)
    if (leavesTrades && this.#tradesDiffer())
      c.multipliers.push({ rule: "TRADE_WORDS_DIFFER", factor: WORDS.tradeWordsDiffer })
    for (const { factor } of c.multipliers) score *= factor
    return score
  }

  /** Explains the last `score`; pass the same name and reading. */
  detail(name: number, person: boolean): ScoreDetail {
    const isAlike = this.#c.alike > 0
    return explainScore({
      comparison: this.#c,
      tokens: this.#tokens,
      listed: Array.from({ length: this.#listedCount }, (_, j) => this.#listedWord(j)),
      isPerson: person,
      queryLeftOverWeight: isAlike ? this.#queryRest(name, person) : 0,
      listedLeftOverWeight: isAlike ? this.#listedRest(this.#leavesTrades(person)) : 0,
    })
  }

  #compare(name: number, person: boolean): void {
    const c = this.#c
    this.#first = this.#tables.wordStart[name]!
    this.#listedCount = this.#tables.wordStart[name + 1]! - this.#first
    c.pairs = 0
    // A loop over so few is faster than `fill`.
    for (let i = 0; i < this.#tokens.length; i++) c.queryUsed[i] = 0
    for (let j = 0; j < this.#listedCount; j++) c.listedUsed[j] = 0
    this.#findAlike()
    this.#pairAlike()
    c.alike = c.pairs
    if (c.alike === 0) return
    if (person) this.#pairInitials()
    c.initials = c.pairs - c.alike
    if (c.pairs < this.#tokens.length && c.pairs < this.#listedCount) this.#pairTypos()
  }

  #findAlike(): void {
    const { words } = this.#tables
    const { stamps, rowOf, similar, similarities, load } = this.rows
    let count = 0
    for (let j = 0; j < this.#listedCount; j++) {
      const word = words[this.#first + j]!
      if (stamps[word] !== load) continue
      const row = rowOf[word]!
      for (let left = similar[row]!; left !== 0; left &= left - 1) {
        const i = 31 - Math.clz32(left & -left)
        const similarity = similarities[row * WORDS_MAX + i]!
        if (similarity < SCORE.pairSimilarityMin) continue
        this.#likePlace[count] = i * WORDS_MAX + j
        this.#likeness[count++] = similarity
      }
    }
    this.#likeCount = count
  }

  /** Pairs the best match first, and among equal ones the first in the query: an exact word is never paired with a merely similar one. */
  #pairAlike(): void {
    const { queryUsed, listedUsed } = this.#c
    for (;;) {
      let best = 0
      let place = WORDS_MAX * WORDS_MAX
      for (let k = 0; k < this.#likeCount; k++) {
        const at = this.#likePlace[k]!
        if (queryUsed[(at / WORDS_MAX) | 0] || listedUsed[at % WORDS_MAX]) continue
        if (this.#likeness[k]! < best || (this.#likeness[k]! === best && at > place)) continue
        best = this.#likeness[k]!
        place = at
      }
      if (best === 0) return
      this.#pair((place / WORDS_MAX) | 0, place % WORDS_MAX, best, 1)
    }
  }

  #pairInitials(): void {
    const { lengths, firsts } = this.#tables.vocabulary
    const { queryUsed, listedUsed } = this.#c
    for (let i = 0; i < this.#tokens.length; i++) {
      if (queryUsed[i]) continue
      for (let j = 0; j < this.#listedCount; j++) {
        const word = this.#tables.words[this.#first + j]!
        if (
          listedUsed[j] ||
          firsts[word] !== this.words.firsts[i] ||
          (lengths[word] !== 1 && this.words.lengths[i] !== 1)
        )
          continue
        this.#pair(i, j, SCORE.initialSimilarity, SCORE.initialWeight)
        break
      }
    }
  }

  #pairTypos(): void {
    const { words, vocabulary } = this.#tables
    const { lengths, firsts, letters } = vocabulary
    const c = this.#c
    const query = this.words
    const first = this.#first
    const listedCount = this.#listedCount
    // If all other words agree, the last word of each side is the same word, or the names differ in nothing else.
    const last = this.#tokens.length - c.pairs === 1 && listedCount - c.pairs === 1
    const edits = last ? 2 : 1
    let left = 0
    for (let j = 0; j < listedCount; j++) {
      const word = words[first + j]!
      if (c.listedUsed[j] || firsts[word]! < DIGIT_END) continue
      this.#leftPlace[left] = j
      this.#leftLength[left] = lengths[word]!
      this.#leftLetters[left++] = letters[word]!
    }
    for (let i = 0; i < this.#tokens.length; i++) {
      if (c.queryUsed[i] || query.firsts[i]! < DIGIT_END) continue
      const length = query.lengths[i]!
      const set = query.letters[i]!
      // Words of seven letters may differ in two adjacent letters; the shorter word then has six.
      const apart = length < 6 ? 2 * edits : 4
      let best = 0
      let at = -1
      for (let k = 0; k < left; k++) {
        if (Math.abs(this.#leftLength[k]! - length) > edits || lettersApart(this.#leftLetters[k]!, set) > apart)
          continue
        const j = this.#leftPlace[k]!
        if (c.listedUsed[j]) continue
        const similarity = typoSimilarity(this.#tokens[i]!, this.#listedWord(j), last)
        if (similarity <= best) continue
        best = similarity
        at = j
      }
      if (at >= 0 && best >= SCORE.typoSimilarityMin) this.#pair(i, at, best, 1)
    }
  }

  #pair(query: number, listed: number, similarity: number, share: number): void {
    const c = this.#c
    c.queryUsed[query] = 1
    c.listedUsed[listed] = 1
    c.pairQuery[c.pairs] = query
    c.pairListed[c.pairs] = listed
    c.pairSimilarity[c.pairs] = similarity
    c.pairWeight[c.pairs] = (share * (this.words.weights[query]! + this.#listedWeight(listed))) / 2
    c.pairs++
  }

  #queryRest(name: number, person: boolean): number {
    const weights =
      this.#form!.legalForms === 0 && this.#tables.legalForms[name]! !== 0
        ? this.words.weightsAsForm
        : this.words.weights
    const shares = person ? this.words.personShares : this.words.otherShares
    let rest = 0
    for (let i = 0; i < this.#tokens.length; i++)
      if (!this.#c.queryUsed[i]) rest += weights[i]! * (this.#repeatsPaired(i) ? SCORE.repeatedLeftOver : shares[i]!)
    return rest
  }

  /** If a word occurs twice and one occurrence is paired, the other is not a word of another name. */
  #repeatsPaired(place: number): boolean {
    if (this.words.repeated[place] === 0) return false
    const word = this.#tokens[place]!
    for (let i = 0; i < this.#tokens.length; i++) if (this.#c.queryUsed[i] && this.#tokens[i] === word) return true
    return false
  }

  /**
   * Returns whether trade words that the query leaves out have no weight: a word agrees that few listed names have and that is no trade
   * word. A person's name is not the name of a firm without its trade.
   */
  #leavesTrades(person: boolean): boolean {
    if (this.#meaning === null || person || this.#form!.nameClass === "person") return false
    const { pairs, pairListed, pairSimilarity } = this.#c
    const { weights } = this.#tables.vocabulary
    for (let p = 0; p < pairs; p++) {
      const word = this.#tables.words[this.#first + pairListed[p]!]!
      if (pairSimilarity[p] === 1 && weights[word]! >= WORDS.rareWeight && !this.#meaning!.isTrade(word)) return true
    }
    return false
  }

  /** Returns whether trade words of the listed name are left out or have another trade word as their pair. */
  #tradesDiffer(): boolean {
    const c = this.#c
    for (let j = 0; j < this.#listedCount; j++)
      if (!c.listedUsed[j] && this.#meaning!.isTrade(this.#tables.words[this.#first + j]!)) return true
    for (let p = 0; p < c.pairs; p++) {
      const word = this.#tables.words[this.#first + c.pairListed[p]!]!
      if (c.pairSimilarity[p]! < 1 && this.#meaning!.isTrade(word) && isTradeWord(this.#tokens[c.pairQuery[p]!]!))
        return true
    }
    return false
  }

  /** `leavesTrades`: left over trade words have no weight, see `TRADE_WORDS_DIFFER`. */
  #listedRest(leavesTrades: boolean): number {
    const { weights, lengths } = this.#tables.vocabulary
    let rest = 0
    for (let j = 0; j < this.#listedCount; j++)
      if (!this.#c.listedUsed[j]) {
        const word = this.#tables.words[this.#first + j]!
        if (leavesTrades && this.#meaning!.isTrade(word)) continue
        rest += weights[word]! * (lengths[word] === 1 ? SCORE.singleLetterLeftOver : 1)
      }
    return rest
  }

  #findMultipliers(name: number, person: boolean, leftOver: number): void {
    const c = this.#c
    addWordMultipliers(c, {
      ...{ query: this.#tokens.length, listed: this.#listedCount, leftOver },
      isRareFamily: this.#meaning !== null && person && this.#isRareFamily(name),
    })
    addNumberMultiplier(c, this.#form!, this.#tables.numbersOf(name))
    if (legalFormsDiffer(this.#form!.legalForms, this.#tables.legalForms[name]!, person))
      c.multipliers.push({ rule: "LEGAL_FORM_DIFFERS", factor: SCORE.legalFormDiffers })
  }

  /** Returns whether the one word that agrees is a family name that few listed names have. */
  #isRareFamily(name: number): boolean {
    const { alike, initials, pairListed } = this.#c
    if (alike !== 1 || initials === 0) return false
    const place = pairListed[0]!
    const word = this.#tables.words[this.#first + place]!
    if (this.#tables.vocabulary.namesWithId(word) > WORDS.rareFamilyNames) return false
    const { text } = this.#tables.partyAt(this.#tables.party[name]!).names[this.#tables.ordinal[name]!]!
    // A list writes `FAMILY, Given`, or the family name last.
    const [family = "", given] = text.split(",", 2)
    return given === undefined ? place === this.#listedCount - 1 : place < family.trim().split(/[\s-]+/).length
  }

  #listedWord(j: number): string {
    return this.#tables.vocabulary.wordAt(this.#tables.words[this.#first + j]!)
  }

  #listedWeight(j: number): number {
    return this.#tables.vocabulary.weights[this.#tables.words[this.#first + j]!]!
  }
}
