export interface ScoredPair {
  readonly query: string
  readonly listed: string
  readonly similarity: number
  readonly weight: number
}

export type MultiplierRule =
  | "SINGLE_WORD_OVERLAP"
  | "INITIALS_ONLY"
  | "NUMBER_DIFFERS"
  | "NUMBER_MISSING"
  | "LEGAL_FORM_DIFFERS"
  | "WEAK_ALIAS"
  | "TYPE_DIFFERS"
  | "WORDS_JOINED"
  | "NAME_CONTAINED"

export interface Multiplier {
  readonly rule: MultiplierRule
  readonly factor: number
}

/** Everything the formula used, so that a reviewer can compute the score again by hand. */
export interface ScoreDetail {
  readonly pairs: readonly ScoredPair[]
  readonly queryLeftOver: readonly string[]
  readonly listedLeftOver: readonly string[]
  /** What the words left over weigh together in the formula: less than each alone for initials, patronymics and repeated words. */
  readonly queryLeftOverWeight: number
  readonly listedLeftOverWeight: number
  readonly multipliers: readonly Multiplier[]
  /** Sum of the weights of the paired words, how much the agreement says. Numbers tell a party's units apart, not parties: they add nothing. */
  readonly informationSum: number
}
