import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration, SourceState } from "../common.ts"
import { operation } from "../operation.ts"
import { provenanceMembers } from "../publication.ts"

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

/** Metadata of one required source: never raw payloads, never normalized records. */
export const SourceHealthLine = closed({
  source_id: Type.String(),
  health: SourceState,
  freshness: enumeration("FRESH", "AGING", "STALE"),
  reason_codes: Type.Array(Type.String()),
  source_version: nullable(Type.String()),
  source_timestamp: nullable(DateTime),
  retrieved_at: nullable(DateTime),
  age_seconds: nullable(Type.Integer({ minimum: 0 })),
  stale_at: nullable(DateTime),
  entries: nullable(Type.Integer({ minimum: 0 })),
  raw_sha256: nullable(digestOver("the bytes of the source as retrieved")),
  last_attempt: nullable(
    closed({ at: DateTime, outcome: enumeration("IMPORTED", "NOT_MODIFIED", "REFUSED", "FAILED", "ROLLED_BACK") }),
  ),
  next_attempt_at: nullable(DateTime),
  ...provenanceMembers,
})
export type SourceHealthLine = Static<typeof SourceHealthLine>

export const SourceHealthAnswer = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    coverage: Type.Literal("FEDERAL_ONLY"),
    as_of: DateTime,
    sources: Type.Array(SourceHealthLine, { minItems: 4, maxItems: 4 }),
    limitations: Type.Array(Type.String()),
    valid_as_of: DateTime,
    valid_until: DateTime,
    next_machine_action: Type.String(),
  },
  { $id: "SourceHealth" },
)
export type SourceHealthAnswer = Static<typeof SourceHealthAnswer>

export const getUsFederalSourceHealth = operation({
  id: "get_us_federal_source_health",
  tool: "READ",
  method: "GET",
  path: "/v1/us/federal/source-health",
  summary: "Health of the four required US federal restricted-party sources; metadata only",
  body: undefined,
  responses: {
    200: { description: "Exactly four sources, in id order", schema: SourceHealthAnswer },
  },
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "PUBLIC",
  rateLimit: { group: "discovery", perMinute: 600 },
  headers: { "x-coverage": "FEDERAL_ONLY" },
  intent: { name: "READ_US_SOURCE_HEALTH", notFor: ["SCREENING", "STATE_SOURCES"] },
})
