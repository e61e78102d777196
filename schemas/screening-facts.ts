import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "./common.ts"
import { StoredEntry } from "./entry-details.ts"

const Score = Type.Number({ minimum: 0, maximum: 1 })
const Agreement = enumeration("MATCH", "CONFLICT", "ABSENT")
const Words = Type.Array(Type.String())

const hitMembers = {
  source_id: Type.String(),
  entry_id: Type.String(),
  list: Type.String(),
  programs: Words,
  party_type: Type.String(),
  measure: enumeration("block", "hold", "condition"),
  matched_name: Type.String(),
  name_kind: Type.String(),
  score: Score,
  basis: enumeration("IDENTIFIER", "EXACT_NAME", "FUZZY_NAME", "WEAK_ALIAS"),
  corroboration: closed({
    identifier: Agreement,
    country: Agreement,
    address: Agreement,
    birth_date: Agreement,
    type: Agreement,
  }),
  tier: enumeration("BLOCK", "HOLD", "CONDITION", "NEAR_MISS"),
  explanation: closed({
    query_words: Words,
    pairs: Type.Array(
      closed({ query: Type.String(), listed: Type.String(), similarity: Type.Number(), weight: Type.Number() }),
    ),
    query_left_over: Words,
    listed_left_over: Words,
    /** Absent in facts of scorers before 1.1.0. */
    query_left_over_weight: Type.Optional(Type.Number()),
    listed_left_over_weight: Type.Optional(Type.Number()),
    multipliers: Type.Array(closed({ rule: Type.String(), factor: Type.Number() })),
    information_sum: Type.Number(),
    identifier: Type.Union([closed({ scheme: Type.String(), value: Type.String() }), Type.Null()]),
  }),
  /** What the publisher printed about the listed party. Absent in facts before v3, without details, and if an earlier hit has it. */
  entry: Type.Optional(StoredEntry),
}

/** One listed party that may be the screened one, with all data that a reviewer needs to recompute the score by hand. */
export const ScreeningHit = closed(hitMembers)
export type ScreeningHit = Static<typeof ScreeningHit>

/** A hit that the operator judged to be another party, with the proof of that judgement. */
export const SuppressedHit = closed({
  ...hitMembers,
  suppression: closed({
    suppression_id: Type.String(),
    party_digest: Digest,
    entry_hash: Digest,
    /** Digest of the whole record with author and reason. The record itself remains with the operator. */
    record_digest: Digest,
    created_at: DateTime,
    expires_at: DateTime,
  }),
})
export type SuppressedHit = Static<typeof SuppressedHit>

export const ScreeningState = enumeration(
  "CLEAR",
  "POSSIBLE_MATCH",
  "MATCH",
  "PROGRAM_CONDITION",
  "SCRIPT_UNSUPPORTED",
  "INSUFFICIENT",
)
export type ScreeningState = Static<typeof ScreeningState>

/**
 * The result of screening one party against the required sources. `hit_count` may exceed the number of stored hits and excludes suppressed
 * hits. CHOICE: `suppressed_hits` is absent if nothing was suppressed, so facts stored before suppressions existed keep their bytes.
 */
export const ScreeningFact = closed({
  state: ScreeningState,
  threshold: Score,
  best_score: Score,
  hits: Type.Array(ScreeningHit),
  hit_count: Type.Integer({ minimum: 0 }),
  suppressed_hits: Type.Optional(Type.Array(SuppressedHit, { minItems: 1 })),
  /** Number of hits whose entry is not stored because of the limits of one answer. Absent for none. */
  entries_left_out: Type.Optional(Type.Integer({ minimum: 1 })),
  near_misses: Type.Array(ScreeningHit),
  name_problems: Words,
  scorer_version: Type.String(),
  parameter_digest: Digest,
})
export type ScreeningFact = Static<typeof ScreeningFact>
