import { Type } from "@sinclair/typebox"
import { DateTime, Digest } from "./common.ts"

/** Which publication a fact was read in, and until when that may be relied on. */
export const publicationMembers = {
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  stale_at: DateTime,
  parser_version: Type.String(),
  raw_sha256: Digest,
} as const
