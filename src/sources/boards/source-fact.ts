/** A source's state as a stored fact of an answer: the snapshot that was used, and until when it may be relied on. */
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import { publicationFact } from "./publication.ts"
import type { SourceState } from "./source-board.ts"

/** Returns null if nothing was ever imported. `staleAt` is in milliseconds, from `requestStaleAt`. */
export function sourceFact({ sourceId, health, freshness, snapshot }: SourceState, staleAt: number): SourceFact | null {
  if (!snapshot) return null
  return {
    source_id: sourceId,
    health,
    freshness,
    snapshot_id: snapshot.snapshotId,
    ...publicationFact(snapshot, formatInstant(staleAt)),
    entries: snapshot.entries,
  }
}

/** Returns when a source becomes too old for a request, in milliseconds: the earlier end of its own window and the request's window. */
export function requestStaleAt({ staleAt, checkedAt }: SourceState, maxAgeSeconds: number): number | null {
  if (staleAt === null || checkedAt === null) return null
  return Math.min(instant(staleAt), instant(checkedAt) + maxAgeSeconds * SECOND)
}
