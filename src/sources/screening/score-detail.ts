export interface ScoredPair {
  readonly query: string
  readonly listed: string
  readonly similarity: number
  readonly weight: number
}

type MultiplierRule =
  | "SINGLE_WORD_OVERLAP"
  | "INITIALS_ONLY"
  | "NUMBER_DIFFERS"
  | "NUMBER_MISSING"
  | "LEGAL_FORM_DIFFERS"
  | "WEAK_ALIAS"
  | "TYPE_DIFFERS"
  | "WORDS_JOINED"
  | "NAME_CONTAINED"
  | "TRADE_WORDS_DIFFER"
  | "LITTLE_EVIDENCE"

export interface Multiplier {
  readonly rule: MultiplierRule
  readonly factor: number
}

/** All inputs of the formula, so that a reviewer can recompute the score by hand. */
export interface ScoreDetail {
  readonly pairs: readonly ScoredPair[]
  readonly queryLeftOver: readonly string[]
  readonly listedLeftOver: readonly string[]
  /** Total weight of the unpaired words in the formula: reduced for initials, patronymics and repeated words. */
  readonly queryLeftOverWeight: number
  readonly listedLeftOverWeight: number
  readonly multipliers: readonly Multiplier[]
  /**
   * Sum of the weights of the paired words: how much information the match has. Numbers add nothing, because they distinguish units of a
   * party, not parties.
   */
  readonly informationSum: number
}
