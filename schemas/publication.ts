import { type Static, Type } from "@sinclair/typebox"
import { DateTime, Digest, enumeration } from "./common.ts"

/** The publisher's bytes, the file name, the publisher's HTTP header, or the operator. */
export const PublishedFrom = enumeration("CONTENT", "FILE_NAME", "LAST_MODIFIED", "STATED")
export type PublishedFrom = Static<typeof PublishedFrom>

/** What an answer must say of the publication it used: a sample, of unknown age, or accepted by the operator although old or small. */
export const SourceLimitation = enumeration("SAMPLE", "PUBLICATION_UNKNOWN", "ACCEPTED_OLD", "ACCEPTED_SMALL")
export type SourceLimitation = Static<typeof SourceLimitation>

/** How old the content is and what the import found; absent in facts of earlier releases. */
export const provenanceMembers = {
  published_at: Type.Optional(DateTime),
  published_from: Type.Optional(PublishedFrom),
  /** When the publisher's own host last gave or confirmed the bytes. */
  confirmed_at: Type.Optional(DateTime),
  limitations: Type.Optional(Type.Array(SourceLimitation, { minItems: 1 })),
  /** Codes of the import's findings, each once. */
  import_findings: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
} as const

/** Which publication a fact was read in, and until when that may be relied on. */
export const publicationMembers = {
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  stale_at: DateTime,
  parser_version: Type.String(),
  raw_sha256: Digest,
  ...provenanceMembers,
} as const
