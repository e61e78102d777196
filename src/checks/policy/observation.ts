import type { Observation } from "../../../schemas/observation.ts"
import type { ScreeningFact, ScreeningHit } from "../../../schemas/screening-facts.ts"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import type { RegisterLookup } from "../../../schemas/us/registration-fact.ts"
import { idOfContent } from "../../core/agent-id.ts"
import { digestOf } from "../../core/digest.ts"
import { provenanceClaims } from "./source-provenance.ts"

/** `evidence_id` is `ev_` and the first 32 hex characters of the digest of the other members. Equal evidence therefore has the same id. */
export function observation(content: Omit<Observation, "evidence_id">): Observation {
  return { evidence_id: idOfContent("ev", digestOf(content)), ...content }
}

/**
 * The observation of one restricted-party source: how much of the name was screened, and the result. It claims "no match" only if the
 * complete name was compared and the facts contain every hit. Otherwise unread text, or hit number 51, would look like a clean list. `others`:
 * further screenings of the same party, under other identifiers or names.
 */
export function screeningObservation(
  source: SourceFact,
  screening: ScreeningFact,
  walletHits: readonly ScreeningHit[],
  others: readonly ScreeningFact[] = [],
): Observation {
  const { source_id: sourceId } = source
  const screenings = [screening, ...others]
  const ofSource = <Hit extends ScreeningHit>(hitsOf: (one: ScreeningFact) => readonly Hit[]) => {
    const hits = screenings.flatMap(hitsOf).filter((hit) => hit.source_id === sourceId)
    return others.length > 0 ? distinctHits(hits) : hits
  }
  const hits = ofSource((one) => one.hits)
  const suppressed = ofSource((one) => one.suppressed_hits ?? [])
  const nearMisses = ofSource((one) => one.near_misses)
  const wallets = walletHits.filter((hit) => hit.source_id === sourceId)
  const best = Math.max(0, ...[...hits, ...suppressed, ...nearMisses].map((hit) => hit.score))
  const gaps = [...new Set(screenings.flatMap(gapsOf))]
  return observation({
    source_id: sourceId,
    source_url: source.source_url,
    source_version: source.source_version,
    source_timestamp: source.source_timestamp,
    retrieved_at: source.retrieved_at,
    parser_version: source.parser_version,
    raw_sha256: source.raw_sha256,
    freshness: source.freshness,
    claims: [
      `ENTRIES_SCREENED:${source.entries}`,
      `BEST_SCORE:${twoDecimals(best)}`,
      ...hits.map((hit) => `${MATCH_CLAIM[hit.tier]}:${word(hit.entry_id)}`),
      ...suppressed.map((hit) => `SUPPRESSED:${word(hit.entry_id)}`),
      ...(hits.length + suppressed.length + gaps.length === 0
        ? [`NO_MATCH_AT_OR_ABOVE:${twoDecimals(screening.threshold)}`]
        : []),
      ...gaps.map((gap) => `INCOMPLETE:${gap}`),
      ...(nearMisses.length > 0 ? [`NEAR_MISSES:${nearMisses.length}`] : []),
      ...wallets.map((hit) => `WALLET_MATCH:${word(hit.entry_id)}`),
      ...provenanceClaims(source),
    ],
  })
}

/** Each effect of an entry once: an entry may hit several screenings. */
function distinctHits<Hit extends ScreeningHit>(hits: readonly Hit[]): Hit[] {
  return [...new Map(hits.map((hit) => [`${hit.tier}\n${hit.entry_id}`, hit])).values()]
}

/** The observation of one identifier look-up in the register that assigns it. */
export function registrationObservation(lookup: RegisterLookup): Observation {
  const { scheme, name_agrees: agrees, name_score: score, status, is_current: isCurrent } = lookup
  return observation({
    source_id: lookup.source_id,
    source_url: lookup.source_url,
    source_version: lookup.source_version,
    source_timestamp: lookup.source_timestamp,
    retrieved_at: lookup.retrieved_at,
    parser_version: lookup.parser_version,
    raw_sha256: lookup.raw_sha256,
    freshness: lookup.freshness,
    claims: [
      `${registrationClaim(lookup)}:${scheme.toUpperCase()}`,
      ...(score === null
        ? []
        : [`REGISTERED_NAME_AGREES:${agrees ? "YES" : "NO"}`, `NAME_SCORE:${twoDecimals(score)}`]),
      ...(status === null ? [] : [`REGISTRATION_STATUS:${word(status)}`]),
      ...(isCurrent === null ? [] : [`REGISTRATION_CURRENT:${isCurrent ? "YES" : "NO"}`]),
      ...provenanceClaims(lookup),
    ],
  })
}

function registrationClaim({ found, is_incomplete: isIncomplete }: RegisterLookup): string {
  if (found) return "REGISTRATION_FOUND"
  return isIncomplete ? "REGISTER_INCOMPLETE" : "REGISTRATION_NOT_FOUND"
}

/** The reasons why the facts do not cover the whole name. */
function gapsOf({ state, name_problems: problems, hits, hit_count: hitCount }: ScreeningFact): readonly string[] {
  return [
    ...problems.map(word),
    ...(state === "INSUFFICIENT" ? ["NOTHING_TO_COMPARE"] : []),
    ...(hitCount > hits.length ? ["HITS_OVER_LIMIT"] : []),
  ]
}

const MATCH_CLAIM: Readonly<Record<ScreeningHit["tier"], string>> = {
  BLOCK: "MATCH",
  HOLD: "POSSIBLE_MATCH",
  CONDITION: "PROGRAM_CONDITION",
  NEAR_MISS: "NEAR_MISS",
}

/** Removes colons from a publisher's key, because a claim has exactly one colon (rulings 5). */
function word(text: string): string {
  return text.replaceAll(":", "_")
}

/** Truncates: a score just below the threshold must not print as the threshold. The 1e-9 corrects binary fractions (0.29 x 100). */
function twoDecimals(score: number): string {
  return (Math.floor(score * 100 + 1e-9) / 100).toFixed(2)
}
