import type { ScreeningFact, ScreeningState } from "../../../schemas/screening-facts.ts"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { instant } from "../../core/time.ts"
import { found, type GateFindings } from "../policy/gate.ts"
import { isAcceptedFact, provenanceLimitations, SOURCE_ACCEPTED } from "../policy/source-provenance.ts"

const CODE: Readonly<Record<ScreeningState, string | false>> = {
  CLEAR: false,
  MATCH: "RESTRICTED_PARTY_MATCH",
  POSSIBLE_MATCH: "RESTRICTED_PARTY_POSSIBLE_MATCH",
  PROGRAM_CONDITION: "RESTRICTED_PARTY_PROGRAM_CONDITION",
  SCRIPT_UNSUPPORTED: "EVIDENCE_INSUFFICIENT",
  INSUFFICIENT: "EVIDENCE_INSUFFICIENT",
}

/**
 * Checks the supplier against the required lists. If a list is missing, unhealthy or stale at `at` (ms), the result is inconclusive: a
 * clean screen of some lists is not a clean screen.
 */
export function restrictedPartyGate(input: {
  readonly screening: ScreeningFact
  readonly sources: readonly SourceFact[]
  readonly requiredSources: readonly string[]
  /** How to treat a list that the operator of a live directory accepted although it is old or small. */
  readonly accepted: "CONDITION" | "STALE"
  /** From this score on, the buyer's tolerance requires a possible match to be reported. */
  readonly reviewScore: number
  /** Milliseconds. */
  readonly at: number
}): GateFindings {
  const { screening, sources, requiredSources, at } = input
  const required = sources.filter((source) => requiredSources.includes(source.source_id))
  const aging = required.some((source) => source.freshness === "AGING")
  const isStale = (source: SourceFact) => input.accepted === "STALE" && isAcceptedFact(source)
  const covered = requiredSources.every((id) =>
    required.some((source) => source.source_id === id && isUsable(source, at) && !isStale(source)),
  )
  const screenedLaxer = screening.threshold > input.reviewScore
  const suppressed = screening.suppressed_hits ?? []
  const overruled = suppressed.some(({ tier, basis }) => tier === "BLOCK" || basis === "IDENTIFIER")
  const contradictsItself = screening.state === "CLEAR" && (screening.hit_count > 0 || overruled)
  return found(
    [
      CODE[screening.state],
      (!covered || screenedLaxer || contradictsItself) && CODE.INSUFFICIENT,
      aging && "SOURCE_AGING",
      input.accepted === "CONDITION" && required.some(isAcceptedFact) && SOURCE_ACCEPTED,
    ],
    [
      aging && "SOURCE_AGING",
      suppressed.length > 0 && "OPERATOR_SUPPRESSION_APPLIED",
      ...provenanceLimitations(required),
    ],
  )
}

/** True if the source is healthy and not yet stale at `at` (ms). */
export function isUsable(source: SourceFact, at: number): boolean {
  return source.health === "HEALTHY" && source.freshness !== "STALE" && instant(source.stale_at) > at
}
