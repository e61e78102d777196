import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration } from "./common.ts"

export const Freshness = enumeration("FRESH", "AGING", "STALE")
export type Freshness = Static<typeof Freshness>

/** Interface, "Evidence observation". Every product uses it. Claims are `NAME:VALUE`, or the single word CALLER_ATTESTATION. */
export const Observation = closed({
  evidence_id: Type.String({ pattern: "^ev_[0-9a-f]{32}$" }),
  source_id: Type.String(),
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  parser_version: Type.String(),
  raw_sha256: digestOver("the bytes of the source as retrieved"),
  freshness: Freshness,
  claims: Type.Array(Type.String()),
})
export type Observation = Static<typeof Observation>
