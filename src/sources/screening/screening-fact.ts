/** Screening results as stored facts: the same values in the spelling of the export. */
import type { ScreeningFact, ScreeningHit, SuppressedHit } from "../../../schemas/screening-facts.ts"
import type { ScreenHit, ScreenResult, SuppressedHit as Suppressed } from "./screen.ts"

/** `threshold` is the threshold of the query. */
export function screeningFact(result: ScreenResult, threshold: number): ScreeningFact {
  return {
    state: result.state,
    threshold,
    best_score: result.bestScore,
    hits: result.hits.map(screeningHit),
    hit_count: result.hitCount,
    ...(result.suppressedHits.length > 0 && { suppressed_hits: result.suppressedHits.map(suppressedHit) }),
    near_misses: result.nearMisses.map(screeningHit),
    name_problems: [...result.nameProblems],
    scorer_version: result.scorerVersion,
    parameter_digest: result.parameterDigest,
  }
}

function suppressedHit(hit: Suppressed): SuppressedHit {
  const { suppression } = hit
  return {
    ...screeningHit(hit),
    suppression: {
      suppression_id: suppression.suppressionId,
      party_digest: suppression.partyDigest,
      entry_hash: suppression.entryHash,
      record_digest: suppression.recordDigest,
      created_at: suppression.createdAt,
      expires_at: suppression.expiresAt,
    },
  }
}

export function screeningHit(hit: ScreenHit): ScreeningHit {
  const { explanation } = hit
  return {
    source_id: hit.sourceId,
    entry_id: hit.entryId,
    list: hit.list,
    programs: [...hit.programs],
    party_type: hit.partyType,
    measure: hit.measure,
    matched_name: hit.matchedName,
    name_kind: hit.nameKind,
    score: hit.score,
    basis: hit.basis,
    corroboration: { ...hit.corroboration },
    tier: hit.tier,
    explanation: {
      query_words: [...explanation.queryWords],
      pairs: explanation.pairs.map((pair) => ({ ...pair })),
      query_left_over: [...explanation.queryLeftOver],
      listed_left_over: [...explanation.listedLeftOver],
      query_left_over_weight: explanation.queryLeftOverWeight,
      listed_left_over_weight: explanation.listedLeftOverWeight,
      multipliers: explanation.multipliers.map((one) => ({ ...one })),
      information_sum: explanation.informationSum,
      identifier: explanation.identifier === null ? null : { ...explanation.identifier },
    },
  }
}
