/** What a decision may ask of the sources: the index in use, and each source's state at one moment. */

import type { SourceLimitation } from "../../../schemas/publication.ts"
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import type { Acceptance, AttemptRow, PublishedFrom } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import type { SourceId } from "../records/party.ts"
import type { NameIndex } from "../screening/name-index.ts"

export type SourceHealth = "HEALTHY" | "STALE" | "SCHEMA_BREAK" | "UNAVAILABLE" | "DISABLED"
export type SourceFreshness = "FRESH" | "AGING" | "STALE"

/** The snapshot an index was built from; times are RFC 3339. */
export interface UsedSnapshot {
  readonly snapshotId: string
  readonly sourceUrl: string
  readonly sourceVersion: string
  /** Publication time; where nobody knows it, the time it was retrieved. */
  readonly sourceTimestamp: string
  readonly retrievedAt: string
  readonly parserVersion: string
  readonly rawSha256: string
  readonly entries: number
  /** When the publisher published it; null where nobody knows, or where this is not judged. */
  readonly publishedAt: string | null
  readonly publishedFrom: PublishedFrom | null
  /** When the publisher's own host last gave or confirmed it. */
  readonly confirmedAt: string | null
  /** What every answer that uses it must say. */
  readonly limitations: readonly SourceLimitation[]
  readonly acceptances: readonly Acceptance[]
  /** What its import found and did not refuse. */
  readonly findings: readonly Finding[]
  /** It has fewer entries than the least size of its list, so that what is missing from it proves nothing. */
  readonly isIncomplete: boolean
}

export interface SourceState {
  readonly sourceId: SourceId
  readonly health: SourceHealth
  readonly freshness: SourceFreshness
  /** When `health` becomes STALE; null where nothing was ever imported. */
  readonly staleAt: string | null
  readonly ageSeconds: number | null
  /** What age and `staleAt` count from: when the bytes were retrieved, or when their publisher last confirmed them. */
  readonly checkedAt: string | null
  readonly reasonCodes: readonly string[]
  /**
   * The operator of a live directory accepted this publication although it is old or small. A Payment Decision treats it as STALE, the
   * other products add a condition.
   */
  readonly isAccepted: boolean
  readonly snapshot: UsedSnapshot | null
  /** The last import, rollback or round that asked the publisher, whichever came last. */
  readonly lastAttempt: {
    readonly at: string
    readonly outcome: AttemptRow["outcome"] | SourceCheckRow["outcome"]
  } | null
  /** When the publisher is asked next by the service itself; null where it does not ask. */
  readonly nextAttemptAt: string | null
}

export interface SourceBoard {
  /** The index and the snapshots it was built from belong together; it is swapped whole. */
  readonly index: () => NameIndex
  /** The board's sources in their order, judged at `at` (milliseconds). */
  readonly states: (at: number) => readonly SourceState[]
}
