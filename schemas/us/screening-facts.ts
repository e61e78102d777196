import { type Static, Type } from "@sinclair/typebox"
import { closed, Digest, enumeration } from "../common.ts"

const Score = Type.Number({ minimum: 0, maximum: 1 })
const Agreement = enumeration("MATCH", "CONFLICT", "ABSENT")
const Words = Type.Array(Type.String())

/** One listed party that may be the screened one, with everything a reviewer needs to compute the score again by hand. */
export const ScreeningHit = closed({
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
    multipliers: Type.Array(closed({ rule: Type.String(), factor: Type.Number() })),
    information_sum: Type.Number(),
    identifier: Type.Union([closed({ scheme: Type.String(), value: Type.String() }), Type.Null()]),
  }),
})
export type ScreeningHit = Static<typeof ScreeningHit>

export const ScreeningState = enumeration(
  "CLEAR",
  "POSSIBLE_MATCH",
  "MATCH",
  "PROGRAM_CONDITION",
  "SCRIPT_UNSUPPORTED",
  "INSUFFICIENT",
)
export type ScreeningState = Static<typeof ScreeningState>

/** What screening one party against the required sources found. `hit_count` may exceed the hits kept. */
export const ScreeningFact = closed({
  state: ScreeningState,
  threshold: Score,
  best_score: Score,
  hits: Type.Array(ScreeningHit),
  hit_count: Type.Integer({ minimum: 0 }),
  near_misses: Type.Array(ScreeningHit),
  name_problems: Words,
  scorer_version: Type.String(),
  parameter_digest: Digest,
})
export type ScreeningFact = Static<typeof ScreeningFact>
