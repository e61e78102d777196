import { COMPANY_BIT } from "./legal-forms.ts"
import { type NameForm, WORDS_MAX } from "./name-form.ts"
import type { NameTables } from "./name-tables.ts"
import { SCORE } from "./parameters.ts"
import { isNumeric, shortTypoSimilarity } from "./token-similarity.ts"

export interface ScoredPair {
  readonly query: string
  readonly listed: string
  readonly similarity: number
  readonly weight: number
}

export type MultiplierRule =
  | "SINGLE_WORD_OVERLAP"
  | "NUMBER_DIFFERS"
  | "NUMBER_MISSING"
  | "LEGAL_FORM_DIFFERS"
  | "WEAK_ALIAS"
  | "TYPE_DIFFERS"
  | "WORDS_JOINED"

export interface Multiplier {
  readonly rule: MultiplierRule
  readonly factor: number
}

/** Everything the formula used, so that a reviewer can compute the score again by hand. */
export interface ScoreDetail {
  readonly pairs: readonly ScoredPair[]
  readonly queryLeftOver: readonly string[]
  readonly listedLeftOver: readonly string[]
  readonly multipliers: readonly Multiplier[]
  /** Sum of the weights of the paired words: how much the agreement says. */
  readonly informationSum: number
}

/** The result of one comparison, reused for every candidate; `detail` copies it out. */
interface Comparison {
  pairs: number
  /** Pairs of similar words; the rest are initials and short words the similar ones made plausible. */
  alike: number
  readonly pairQuery: Uint8Array
  readonly pairListed: Uint8Array
  readonly pairSimilarity: Float64Array
  readonly pairWeight: Float64Array
  readonly queryUsed: Uint8Array
  readonly listedUsed: Uint8Array
  readonly multipliers: Multiplier[]
}

/**
 * Compares one query, set by `load`, with listed names by number. Holds scratch arrays; not for concurrent use, which a
 * single synchronous thread cannot cause.
 */
export class NameScorer {
  readonly #tables: NameTables
  #form: NameForm | null = null
  #tokens: readonly string[] = []
  readonly #weights = new Float64Array(WORDS_MAX)
  /** Row of a listed word in `#similarities`, valid while its stamp is the current load. */
  readonly #rowOf: Uint32Array
  readonly #rowStamp: Uint32Array
  #load = 0
  #similarities = new Float64Array(256 * WORDS_MAX)
  readonly #matrix = new Float64Array(WORDS_MAX * WORDS_MAX)
  #first = 0
  #listedCount = 0
  readonly #c: Comparison = {
    pairs: 0,
    alike: 0,
    pairQuery: new Uint8Array(WORDS_MAX),
    pairListed: new Uint8Array(WORDS_MAX),
    pairSimilarity: new Float64Array(WORDS_MAX),
    pairWeight: new Float64Array(WORDS_MAX),
    queryUsed: new Uint8Array(WORDS_MAX),
    listedUsed: new Uint8Array(WORDS_MAX),
    multipliers: [],
  }

  constructor(tables: NameTables) {
    this.#tables = tables
    this.#rowOf = new Uint32Array(tables.vocabulary.size)
    this.#rowStamp = new Uint32Array(tables.vocabulary.size)
  }

  /** `tokens` is the form's own list or a variant of it (words joined or split), at most `WORDS_MAX` long. */
  load(form: NameForm, tokens: readonly string[]): void {
    this.#form = form
    this.#tokens = tokens
    if (++this.#load === 0xffff_ffff) {
      this.#rowStamp.fill(0)
      this.#load = 1
    }
    let rows = 0
    for (const [at, token] of tokens.entries()) {
      const expansion = this.#tables.vocabulary.expand(token)
      const edge = tokens.length > 1 && (at === 0 || at === tokens.length - 1)
      this.#weights[at] =
        edge && expansion.mistypedForm ? Math.min(expansion.weight, SCORE.weightMistypedForm) : expansion.weight
      for (let k = 0; k < expansion.words.length; k++) {
        const word = expansion.words[k]!
        if (this.#rowStamp[word] !== this.#load) {
          this.#rowStamp[word] = this.#load
          this.#rowOf[word] = rows
          this.#clearRow(rows++)
        }
        this.#similarities[this.#rowOf[word]! * WORDS_MAX + at] = expansion.similarities[k]!
      }
    }
  }

  weightAt(position: number): number {
    return this.#weights[position]!
  }

  /** The name score before the party's own multipliers, 0 to 1. */
  score(name: number, person: boolean): number {
    this.#compare(name, person)
    const c = this.#c
    let agreed = 0
    let weight = 0
    for (let p = 0; p < c.pairs; p++) {
      agreed += c.pairSimilarity[p]! * c.pairWeight[p]!
      weight += c.pairWeight[p]!
    }
    if (weight === 0) return 0
    const queryRest = this.#queryRest()
    const listedRest = this.#listedRest()
    const listedShare = person ? SCORE.unmatchedListedPerson : SCORE.unmatchedListedOther
    let score =
      agreed /
      (weight +
        SCORE.unmatchedQuery * queryRest +
        listedShare * listedRest +
        SCORE.contradiction * Math.min(queryRest, listedRest))
    this.#findMultipliers(name, person, queryRest + listedRest)
    for (const { factor } of c.multipliers) score *= factor
    return score
  }

  /** Both names state a form and the classes differ; plain "company" goes with any. */
  legalFormDiffers(name: number, person: boolean): boolean {
    const query = this.#form!.legalForms
    const listed = this.#tables.legalForms[name]!
    if (person || query === 0 || listed === 0 || query === COMPANY_BIT || listed === COMPANY_BIT) return false
    return (query & listed) === 0
  }

  /** What the last `score` compared. */
  detail(): ScoreDetail {
    const c = this.#c
    const listed = Array.from({ length: this.#listedCount }, (_, j) => this.#listedWord(j))
    return {
      pairs: Array.from({ length: c.pairs }, (_, p) => ({
        query: this.#tokens[c.pairQuery[p]!]!,
        listed: listed[c.pairListed[p]!]!,
        similarity: c.pairSimilarity[p]!,
        weight: c.pairWeight[p]!,
      })),
      queryLeftOver: this.#tokens.filter((_, i) => !c.queryUsed[i]),
      listedLeftOver: listed.filter((_, j) => !c.listedUsed[j]),
      multipliers: [...c.multipliers],
      informationSum: c.pairWeight.subarray(0, c.pairs).reduce((sum, weight) => sum + weight, 0),
    }
  }

  #clearRow(row: number): void {
    if ((row + 1) * WORDS_MAX > this.#similarities.length) {
      const larger = new Float64Array(this.#similarities.length * 2)
      larger.set(this.#similarities)
      this.#similarities = larger
    }
    this.#similarities.fill(0, row * WORDS_MAX, (row + 1) * WORDS_MAX)
  }

  #compare(name: number, person: boolean): void {
    const c = this.#c
    this.#first = this.#tables.wordStart[name]!
    this.#listedCount = this.#tables.wordStart[name + 1]! - this.#first
    c.pairs = 0
    c.queryUsed.fill(0)
    c.listedUsed.fill(0)
    this.#fillMatrix()
    this.#pairAlike()
    c.alike = c.pairs
    if (person) this.#pairInitials()
    if (c.alike > 0) this.#pairShortTypos()
  }

  #fillMatrix(): void {
    const { words } = this.#tables
    for (let j = 0; j < this.#listedCount; j++) {
      const word = words[this.#first + j]!
      const known = this.#rowStamp[word] === this.#load
      const row = this.#rowOf[word]! * WORDS_MAX
      for (let i = 0; i < this.#tokens.length; i++)
        this.#matrix[i * WORDS_MAX + j] = known ? this.#similarities[row + i]! : 0
    }
  }

  /** Best pair first: an exact word is never spent on a merely similar one. */
  #pairAlike(): void {
    const { queryUsed, listedUsed } = this.#c
    for (;;) {
      let best = 0
      let query = -1
      let listed = -1
      for (let i = 0; i < this.#tokens.length; i++) {
        if (queryUsed[i]) continue
        for (let j = 0; j < this.#listedCount; j++) {
          if (listedUsed[j] || this.#matrix[i * WORDS_MAX + j]! <= best) continue
          best = this.#matrix[i * WORDS_MAX + j]!
          query = i
          listed = j
        }
      }
      if (query < 0 || best < SCORE.pairSimilarityMin) return
      this.#pair(query, listed, best, 1)
    }
  }

  #pairInitials(): void {
    this.#eachUnused((i, j, query, listed) => {
      if ((query.length !== 1 && listed.length !== 1) || query[0] !== listed[0]) return false
      this.#pair(i, j, SCORE.initialSimilarity, SCORE.initialWeight)
      return true
    })
  }

  #pairShortTypos(): void {
    for (let i = 0; i < this.#tokens.length; i++) {
      const query = this.#tokens[i]!
      if (this.#c.queryUsed[i] || query.length < 2 || isNumeric(query)) continue
      let best = 0
      let at = -1
      for (let j = 0; j < this.#listedCount; j++) {
        if (this.#c.listedUsed[j]) continue
        const listed = this.#listedWord(j)
        if (listed.length < 2 || isNumeric(listed) || Math.abs(query.length - listed.length) > 1) continue
        const similarity = shortTypoSimilarity(query, listed)
        if (similarity <= best) continue
        best = similarity
        at = j
      }
      if (at >= 0 && best >= SCORE.shortTypoSimilarityMin) this.#pair(i, at, best, 1)
    }
  }

  /** Offers each unused query word the unused listed words until `take` accepts one. */
  #eachUnused(take: (i: number, j: number, query: string, listed: string) => boolean): void {
    for (let i = 0; i < this.#tokens.length; i++) {
      if (this.#c.queryUsed[i]) continue
      for (let j = 0; j < this.#listedCount; j++)
        if (!this.#c.listedUsed[j] && take(i, j, this.#tokens[i]!, this.#listedWord(j))) break
    }
  }

  #pair(query: number, listed: number, similarity: number, share: number): void {
    const c = this.#c
    c.queryUsed[query] = 1
    c.listedUsed[listed] = 1
    c.pairQuery[c.pairs] = query
    c.pairListed[c.pairs] = listed
    c.pairSimilarity[c.pairs] = similarity
    c.pairWeight[c.pairs] = (share * (this.#weights[query]! + this.#listedWeight(listed))) / 2
    c.pairs++
  }

  #queryRest(): number {
    let rest = 0
    for (let i = 0; i < this.#tokens.length; i++)
      if (!this.#c.queryUsed[i]) rest += this.#weights[i]! * letterShare(this.#tokens[i]!)
    return rest
  }

  #listedRest(): number {
    let rest = 0
    for (let j = 0; j < this.#listedCount; j++)
      if (!this.#c.listedUsed[j]) rest += this.#listedWeight(j) * letterShare(this.#listedWord(j))
    return rest
  }

  #findMultipliers(name: number, person: boolean, leftOver: number): void {
    const c = this.#c
    const form = this.#form!
    c.multipliers.length = 0
    const longer = Math.max(this.#tokens.length, this.#listedCount)
    if (c.alike <= 1 && longer > 1 && leftOver > 0.25)
      c.multipliers.push({ rule: "SINGLE_WORD_OVERLAP", factor: SCORE.singleTokenOverlap })
    const numbers = this.#tables.numbersOf(name)
    if (form.numbers !== numbers)
      c.multipliers.push(
        form.numbers !== "" && numbers !== ""
          ? { rule: "NUMBER_DIFFERS", factor: SCORE.numberDiffers }
          : { rule: "NUMBER_MISSING", factor: SCORE.numberMissing },
      )
    if (this.legalFormDiffers(name, person))
      c.multipliers.push({ rule: "LEGAL_FORM_DIFFERS", factor: SCORE.legalFormDiffers })
  }

  #listedWord(j: number): string {
    return this.#tables.vocabulary.wordAt(this.#tables.words[this.#first + j]!)
  }

  #listedWeight(j: number): number {
    return this.#tables.vocabulary.weights[this.#tables.words[this.#first + j]!]!
  }
}

const letterShare = (word: string): number => (word.length === 1 ? SCORE.singleLetterLeftOver : 1)
