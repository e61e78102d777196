/** Screens a party against the restricted-party lists: may it be one of the listed parties, and why? */
import type { Measure, NameKind, Party, PartyType, SourceId } from "../records/party.ts"
import { shareBirthDay } from "./birth-dates.ts"
import type { NameProblem } from "./fold.ts"
import type { IdentifierMatch, QueryIdentifier } from "./identifiers.ts"
import { PERSON } from "./listed-names.ts"
import type { NameIndex } from "./name-index.ts"
import type { NameMatch } from "./name-search.ts"
import { TIERS } from "./parameters.ts"
import { formsOf } from "./query-forms.ts"
import { imoNumberIn } from "./readings.ts"
import type { Multiplier, ScoreDetail, ScoredPair } from "./score-detail.ts"
import type { Scorer } from "./scorer.ts"
import { type Basis, type Corroboration, corroborate, type Tier, tierOf } from "./tier.ts"

export interface ScreenQuery {
  readonly name: string
  readonly type: "person" | "org" | null
  readonly identifiers: readonly QueryIdentifier[]
  /** ISO 3166-1 alpha-2. */
  readonly countries: readonly string[]
  readonly birthDates?: readonly string[]
  /** One of `TOLERANCE_THRESHOLD`; from 0.65 (the near-miss score) to 1. */
  readonly threshold: number
  /**
   * A listed person is a near miss, because a person stated that the party is an organisation. A product never states it: its type is its
   * own choice, and a sole trader must not be CLEAR because of it.
   */
  readonly personsAreNearMisses?: true
}

/** Maps a tolerance for missed matches to its review threshold. */
export const TOLERANCE_THRESHOLD = { LOW: 0.75, MEDIUM: 0.8, HIGH: 0.85 } as const

export interface ScreenExplanation {
  /** The compared words of the query, after folding, splitting and abbreviations. */
  readonly queryWords: readonly string[]
  readonly pairs: readonly ScoredPair[]
  readonly queryLeftOver: readonly string[]
  readonly listedLeftOver: readonly string[]
  readonly queryLeftOverWeight: number
  readonly listedLeftOverWeight: number
  readonly multipliers: readonly Multiplier[]
  readonly informationSum: number
  /** The identifier that matched, as the publisher prints it. */
  readonly identifier: { readonly scheme: string; readonly value: string } | null
}

export interface ScreenHit {
  readonly sourceId: SourceId
  readonly entryId: string
  readonly list: string
  readonly programs: readonly string[]
  readonly partyType: PartyType
  readonly measure: Measure
  readonly matchedName: string
  readonly nameKind: NameKind
  /** 0 to 1, four decimals; 1 for an identifier hit. */
  readonly score: number
  readonly basis: Basis
  readonly corroboration: Corroboration
  readonly tier: Tier
  readonly explanation: ScreenExplanation
}

/** The part of the applied suppression that a result shows. Author and reason stay with the operator, under `recordDigest`. */
export interface AppliedSuppression {
  readonly suppressionId: string
  readonly partyDigest: string
  readonly entryHash: string
  readonly recordDigest: string
  readonly createdAt: string
  /** RFC 3339; the suppression does not apply from this time on. */
  readonly expiresAt: string
}

/** A hit that an operator judged to be another party. It is shown; its only effect on the result is the floor below. */
export interface SuppressedHit extends ScreenHit {
  readonly suppression: AppliedSuppression
}

/** Returns the suppression of one hit, or null if there is none. */
export type HitJudge = (party: Party, hit: ScreenHit) => AppliedSuppression | null

export type ScreenState =
  | "CLEAR"
  | "POSSIBLE_MATCH"
  | "MATCH"
  | "PROGRAM_CONDITION"
  | "SCRIPT_UNSUPPORTED"
  | "INSUFFICIENT"

/** Plain JSON, because it is stored as a decision's fact and replayed. */
export interface ScreenResult {
  readonly state: ScreenState
  /** The best score of any hit, suppressed hit or near miss; 0 if nothing reached 0.65. */
  readonly bestScore: number
  /** At or above the threshold or by identifier: worst tier first, then score, source id and entry id; at most 50. */
  readonly hits: readonly ScreenHit[]
  /** Number of hits before the limit. */
  readonly hitCount: number
  /** Suppressed hits: in neither of the two members above; same order and limit. */
  readonly suppressedHits: readonly SuppressedHit[]
  /** From 0.65 up to the threshold, best first, at most 10. */
  readonly nearMisses: readonly ScreenHit[]
  /** Why the name could not be read completely. Any value rules out CLEAR. */
  readonly nameProblems: readonly NameProblem[]
  readonly scorerVersion: string
  readonly parameterDigest: string
}

const HITS_MAX = 50
const NEAR_MISSES_MAX = 10
/** From this score only order, legal form or spacing may differ. */
const EXACT_SCORE = 0.9999
const NEAR_MISS: Tier = "NEAR_MISS"
const SEVERITY: Readonly<Record<Tier, number>> = { BLOCK: 0, HOLD: 1, CONDITION: 2, NEAR_MISS: 3 }

/** Throws a RangeError for a threshold outside 0.65 to 1. `judge` applies the operator's suppressions, see suppress.ts. */
export function screen(index: NameIndex, query: ScreenQuery, judge?: HitJudge): ScreenResult {
  if (!(query.threshold >= TIERS.nearMissMin && query.threshold <= 1))
    throw new RangeError(`threshold ${query.threshold} is not between ${TIERS.nearMissMin} and 1`)
  const { forms, wholes, added, plain, problems } = formsOf(query, index.scorer)
  const compared = index.scorer.comparesEveryName ? forms : forms.filter(({ distinctive }) => distinctive)
  const byName = new Map(
    index.search
      .find(compared, { wholes, added, plain, nameClass: query.type ?? "unknown" })
      .map((match) => [match.party, match]),
  )
  const byIdentifier = new Map<number, IdentifierMatch>()
  for (const identifier of identifiersOf(query, index.scorer))
    for (const match of index.identifiers.find(identifier))
      if (!byIdentifier.has(match.party)) byIdentifier.set(match.party, match)

  const near: NameMatch[] = []
  const isNear = ({ party, score }: NameMatch) =>
    rounded(score) < query.threshold || (query.personsAreNearMisses && index.tables.types[party] === PERSON)
  for (const match of byName.values()) if (isNear(match) && !byIdentifier.has(match.party)) near.push(match)
  for (const { party } of near) byName.delete(party)

  const hits: ScreenHit[] = []
  const suppressed: SuppressedHit[] = []
  for (const party of new Set([...byIdentifier.keys(), ...byName.keys()])) {
    const found = { party, match: byName.get(party) ?? null, identifier: byIdentifier.get(party) ?? null }
    const hit = hitOf(index, query, found)
    const suppression = judge?.(index.tables.partyAt(party), hit) ?? null
    if (suppression === null) hits.push(hit)
    else suppressed.push({ ...hit, suppression })
  }
  hits.sort(bySeverity)
  suppressed.sort(bySeverity)
  const nearMisses = nearMissesOf(index, query, near)
  return {
    state: withFloor(stateOf(hits, problems, compared[0]?.screenable === true && index.size.names > 0), suppressed),
    bestScore: [...hits, ...suppressed, ...nearMisses].reduce((best, hit) => Math.max(best, hit.score), 0),
    hits: hits.slice(0, HITS_MAX),
    hitCount: hits.length,
    suppressedHits: suppressed.slice(0, HITS_MAX),
    nearMisses,
    nameProblems: problems,
    scorerVersion: index.scorer.version,
    parameterDigest: index.scorer.parameterDigest,
  }
}

/** What is read out of a name may match and never conflicts, so it is not an identifier of the query. */
function identifiersOf({ name, identifiers }: ScreenQuery, { weighsWords }: Scorer): readonly QueryIdentifier[] {
  const imo = weighsWords ? imoNumberIn(name.toLowerCase()) : null
  return imo === null ? identifiers : [...identifiers, { scheme: "imo", value: imo }]
}

/** Explains only the reported near misses, because a common name has hundreds. */
function nearMissesOf(index: NameIndex, query: ScreenQuery, matches: readonly NameMatch[]): ScreenHit[] {
  const scores = matches.map(({ score }) => rounded(score)).sort((a, b) => b - a)
  const least = scores[NEAR_MISSES_MAX - 1] ?? 0
  const reported = matches.filter(({ score }) => rounded(score) >= least)
  // To explain matches of one reading after the other loads its words once.
  return [...Map.groupBy(reported, ({ tokens }) => tokens).values()]
    .flat()
    .map((match) => ({ ...hitOf(index, query, { party: match.party, match, identifier: null }), tier: NEAR_MISS }))
    .sort(bySeverity)
    .slice(0, NEAR_MISSES_MAX)
}

/**
 * Returns the worst listed party that holds this wallet. `address` is `0x` and 40 hex characters in any case; throws a TypeError for
 * anything else.
 */
export function screenWallet(index: NameIndex, address: string): ScreenHit | null {
  const query = { name: "", type: null, identifiers: [], countries: [], threshold: TOLERANCE_THRESHOLD.MEDIUM }
  const hits = index.identifiers
    .findWallet(address)
    .map((identifier) => hitOf(index, query, { party: identifier.party, match: null, identifier }))
  return hits.sort(bySeverity)[0] ?? null
}

/**
 * Hits decide first: a partly readable name may still match. CLEAR needs a readable name, a searchable word and a list. A condition is not
 * enough either for a name that could not be read.
 */
function stateOf(hits: readonly ScreenHit[], problems: readonly NameProblem[], screenable: boolean): ScreenState {
  if (hits.some((hit) => hit.tier === "BLOCK")) return "MATCH"
  if (hits.some((hit) => hit.tier === "HOLD")) return "POSSIBLE_MATCH"
  if (problems.length > 0) return "SCRIPT_UNSUPPORTED"
  if (!screenable) return "INSUFFICIENT"
  return hits.length > 0 ? "PROGRAM_CONDITION" : "CLEAR"
}

/**
 * CHOICE: if the list would have blocked, a suppression still leaves a hold. False blocks are measured as rare, and one person's error must
 * not release a payment to a blocked party.
 */
function withFloor(state: ScreenState, suppressed: readonly SuppressedHit[]): ScreenState {
  if (state === "MATCH" || !suppressed.some(({ tier }) => tier === "BLOCK")) return state
  return "POSSIBLE_MATCH"
}

/** How a listed party was found. */
interface Found {
  /** Its number in the tables. */
  readonly party: number
  readonly match: NameMatch | null
  readonly identifier: IdentifierMatch | null
}

function hitOf(index: NameIndex, query: ScreenQuery, { party: at, match, identifier }: Found): ScreenHit {
  const party = index.tables.partyAt(at)
  const name = match ? party.names[index.tables.ordinal[match.name]!] : party.names[0]
  const detail = match ? index.search.explain(match) : null
  const score = identifier ? 1 : rounded(match?.score ?? 0)
  const basis: Basis = identifier
    ? "IDENTIFIER"
    : name?.kind === "weak"
      ? "WEAK_ALIAS"
      : score >= EXACT_SCORE
        ? "EXACT_NAME"
        : "FUZZY_NAME"
  const corroboration = corroborate(query, party, identifier !== null)
  const evidence = {
    basis,
    score,
    informationSum: rounded(detail?.informationSum ?? 0),
    corroboration,
    identifierScheme: identifier?.identifier.scheme ?? null,
    sharesBirthDay: shareBirthDay(query.birthDates ?? [], party.birthDates),
  }
  return {
    sourceId: party.sourceId,
    entryId: party.entryId,
    list: party.list,
    programs: [...party.programs],
    partyType: party.type,
    measure: party.measure,
    matchedName: name?.text ?? "",
    nameKind: name?.kind ?? "primary",
    score,
    basis,
    corroboration,
    tier: tierOf(party, evidence, query.threshold),
    explanation: explanationOf(match, detail, identifier),
  }
}

function explanationOf(
  match: NameMatch | null,
  detail: ScoreDetail | null,
  identifier: IdentifierMatch | null,
): ScreenExplanation {
  return {
    queryWords: [...(match?.tokens ?? [])],
    pairs: (detail?.pairs ?? []).map((pair) => ({
      ...pair,
      similarity: rounded(pair.similarity),
      weight: rounded(pair.weight),
    })),
    queryLeftOver: detail?.queryLeftOver ?? [],
    listedLeftOver: detail?.listedLeftOver ?? [],
    queryLeftOverWeight: rounded(detail?.queryLeftOverWeight ?? 0),
    listedLeftOverWeight: rounded(detail?.listedLeftOverWeight ?? 0),
    multipliers: (detail?.multipliers ?? []).map(({ rule, factor }) => ({ rule, factor })),
    informationSum: rounded(detail?.informationSum ?? 0),
    identifier: identifier && { scheme: identifier.identifier.scheme, value: identifier.identifier.value },
  }
}

function bySeverity(a: ScreenHit, b: ScreenHit): number {
  return (
    SEVERITY[a.tier] - SEVERITY[b.tier] ||
    b.score - a.score ||
    textOrder(a.sourceId, b.sourceId) ||
    textOrder(a.entryId, b.entryId)
  )
}

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Rounds to four decimals. The threshold is compared with this value, so the printed score and the decision agree. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
