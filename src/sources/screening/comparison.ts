import { WORDS_MAX } from "./name-form.ts"
import type { Multiplier } from "./score-detail.ts"

/** The result of one comparison. It is reused for every candidate; `detail` of the scorer copies it. */
export interface Comparison {
  pairs: number
  /** Pairs of similar words. The other pairs are initials and short words that the similar pairs made plausible. */
  alike: number
  initials: number
  readonly pairQuery: Uint8Array
  readonly pairListed: Uint8Array
  readonly pairSimilarity: Float64Array
  readonly pairWeight: Float64Array
  readonly queryUsed: Uint8Array
  readonly listedUsed: Uint8Array
  readonly multipliers: Multiplier[]
}

export function emptyComparison(): Comparison {
  return {
    pairs: 0,
    alike: 0,
    initials: 0,
    pairQuery: new Uint8Array(WORDS_MAX),
    pairListed: new Uint8Array(WORDS_MAX),
    pairSimilarity: new Float64Array(WORDS_MAX),
    pairWeight: new Float64Array(WORDS_MAX),
    queryUsed: new Uint8Array(WORDS_MAX),
    listedUsed: new Uint8Array(WORDS_MAX),
    multipliers: [],
  }
}
