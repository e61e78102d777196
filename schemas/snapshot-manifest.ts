import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, KeyId, Signature } from "./common.ts"
import { PublishedFrom } from "./publication.ts"

export const SNAPSHOT_FORMAT = "svc-snapshot-1"

const ManifestFile = closed({
  name: Type.String({ minLength: 1 }),
  sha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  bytes: Type.Integer({ minimum: 0 }),
  last_modified: DateTime,
  url: Type.Optional(Type.String()),
  etag: Type.Optional(Type.String()),
})

/** The content that a snapshot manifest's signature covers: the manifest without `signature`. An unsigned manifest has no `domain`. */
export const SignedSnapshotManifest = closed({
  domain: Type.Literal("svc.snapshot-manifest.v1"),
  format: Type.Literal(SNAPSHOT_FORMAT),
  source_id: Type.String({ minLength: 1 }),
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: Type.Union([DateTime, Type.Null()]),
  retrieved_at: DateTime,
  retrieved_by: Type.String(),
  licence: Type.String(),
  /** Publication time of these files and its source. Absent if unknown. */
  published_at: Type.Optional(DateTime),
  published_from: Type.Optional(PublishedFrom),
  /** Time when the publisher's own host last served or confirmed these files. */
  confirmed_at: Type.Optional(DateTime),
  files: Type.Array(ManifestFile, { minItems: 1, maxItems: 32 }),
})
export type SignedSnapshotManifest = Static<typeof SignedSnapshotManifest>

export const ManifestSignature = closed({ alg: Type.Literal("Ed25519"), key_id: KeyId, value: Signature })
export type ManifestSignature = Static<typeof ManifestSignature>
