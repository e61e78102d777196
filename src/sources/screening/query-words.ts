import { PATRONYMIC } from "./common-words.ts"
import { WORDS_MAX } from "./name-form.ts"
import { SCORE } from "./parameters.ts"
import { letterSet } from "./token-similarity.ts"
import type { Expansion } from "./vocabulary.ts"

/** The words of one query by position: their weights, and properties that need no access to the letters. */
export class QueryWords {
  readonly weights = new Float64Array(WORDS_MAX)
  /** Weight of an unpaired word against a name that states a legal form: it may be that form, mistyped. */
  readonly weightsAsForm = new Float64Array(WORDS_MAX)
  readonly lengths = new Uint8Array(WORDS_MAX)
  readonly firsts = new Uint8Array(WORDS_MAX)
  readonly letters = new Uint32Array(WORDS_MAX)
  /** Share of its weight that an unpaired word counts with against a person, and against any other party. */
  readonly personShares = new Float64Array(WORDS_MAX)
  readonly otherShares = new Float64Array(WORDS_MAX)
  /** 1 for a word that occurs more than once in the query. */
  readonly repeated = new Uint8Array(WORDS_MAX)

  readonly expansions: Expansion[] = []

  set(tokens: readonly string[], at: number, expansion: Expansion): void {
    const { weight, mistypedForm, nearForm } = expansion
    const token = tokens[at]!
    this.expansions[at] = expansion
    const edge = tokens.length > 1 && (at === 0 || at === tokens.length - 1)
    const asForm = Math.min(weight, SCORE.weightMistypedForm)
    this.weights[at] = edge && mistypedForm ? asForm : weight
    this.weightsAsForm[at] = edge && nearForm ? asForm : this.weights[at]!
    this.lengths[at] = Math.min(token.length, 255)
    this.firsts[at] = token.charCodeAt(0)
    this.letters[at] = letterSet(token)
    this.otherShares[at] = token.length === 1 ? SCORE.singleLetterLeftOver : 1
    this.personShares[at] = PATRONYMIC.test(token) ? SCORE.patronymicLeftOver : this.otherShares[at]!
    this.repeated[at] = tokens.indexOf(token) !== tokens.lastIndexOf(token) ? 1 : 0
  }

  /** Returns the lowest weight that an unpaired word can have against any listed name. */
  leastWeightAt(at: number): number {
    return this.weightsAsForm[at]! * (this.repeated[at] === 1 ? SCORE.repeatedLeftOver : this.personShares[at]!)
  }
}
