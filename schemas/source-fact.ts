import { type Static, Type } from "@sinclair/typebox"
import { closed, Digest, SourceState } from "./common.ts"
import { Freshness } from "./observation.ts"
import { publicationMembers } from "./publication.ts"

/** One required source in the screening index: the snapshot from which the index was built, never a later one. */
export const SourceFact = closed({
  source_id: Type.String(),
  health: SourceState,
  freshness: Freshness,
  snapshot_id: Type.String(),
  ...publicationMembers,
  entries: Type.Integer({ minimum: 0 }),
})
export type SourceFact = Static<typeof SourceFact>

/** A list's snapshot as named in an exported bundle, for readers who need the bytes without reading the facts. */
export const SnapshotReference = closed({ source_id: Type.String(), snapshot_id: Type.String(), raw_sha256: Digest })
export type SnapshotReference = Static<typeof SnapshotReference>
