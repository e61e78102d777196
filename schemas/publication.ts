import { type Static, Type } from "@sinclair/typebox"
import { DateTime, Digest, enumeration } from "./common.ts"

/** Source of the publication time: the publisher's bytes, the file name, the publisher's HTTP header, or the operator. */
export const PublishedFrom = enumeration("CONTENT", "FILE_NAME", "LAST_MODIFIED", "STATED")
export type PublishedFrom = Static<typeof PublishedFrom>

/**
 * Limitations that an answer must state about a publication: a sample, of unknown age, or accepted by the operator although it is old or
 * small.
 */
export const SourceLimitation = enumeration("SAMPLE", "PUBLICATION_UNKNOWN", "ACCEPTED_OLD", "ACCEPTED_SMALL")
export type SourceLimitation = Static<typeof SourceLimitation>

/** The age of the content and the findings of the import. Absent in facts of earlier releases. */
export const provenanceMembers = {
  published_at: Type.Optional(DateTime),
  published_from: Type.Optional(PublishedFrom),
  /** Time when the publisher's own host last served or confirmed the bytes. */
  confirmed_at: Type.Optional(DateTime),
  limitations: Type.Optional(Type.Array(SourceLimitation, { minItems: 1 })),
  /** Codes of the import's findings, without duplicates. */
  import_findings: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
} as const

/** The publication that a fact comes from, and the end of its validity. */
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
