import { PARTICLES } from "./common-words.ts"
import type { Comparison } from "./comparison.ts"
import type { ScoreDetail } from "./score-detail.ts"
import { DIGIT_END } from "./token-similarity.ts"

interface ComparedNames {
  readonly comparison: Comparison
  /** Words of the query, and of the listed name. */
  readonly tokens: readonly string[]
  readonly listed: readonly string[]
  readonly isPerson: boolean
  /** Weights of the words without a pair; 0 when no words are alike. */
  readonly queryLeftOverWeight: number
  readonly listedLeftOverWeight: number
}

export function explainScore({ comparison: c, tokens, listed, isPerson, ...weights }: ComparedNames): ScoreDetail {
  return {
    pairs: Array.from({ length: c.pairs }, (_, p) => ({
      query: tokens[c.pairQuery[p]!]!,
      listed: listed[c.pairListed[p]!]!,
      similarity: c.pairSimilarity[p]!,
      weight: c.pairWeight[p]!,
    })),
    queryLeftOver: tokens.filter((_, i) => !c.queryUsed[i]),
    listedLeftOver: listed.filter((_, j) => !c.listedUsed[j]),
    ...weights,
    multipliers: [...c.multipliers],
    informationSum: information(c, tokens, isPerson),
  }
}

/** Numbers distinguish units, not parties. A particle does not distinguish persons. */
function information(c: Comparison, tokens: readonly string[], isPerson: boolean): number {
  let sum = 0
  for (let p = 0; p < c.pairs; p++) {
    const word = tokens[c.pairQuery[p]!]!
    if (word.charCodeAt(0) >= DIGIT_END && !(isPerson && PARTICLES.has(word))) sum += c.pairWeight[p]!
  }
  return sum
}
