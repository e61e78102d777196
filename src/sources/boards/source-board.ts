/** The source data that a decision reads: the index in use, and the state of each source at one moment. */
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import type { Acceptance, AttemptRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import type { SourceId } from "../records/party.ts"
import type { NameIndex } from "../screening/name-index.ts"
import type { Publication } from "./publication.ts"

export type SourceHealth = "HEALTHY" | "STALE" | "SCHEMA_BREAK" | "UNAVAILABLE" | "DISABLED"
export type SourceFreshness = "FRESH" | "AGING" | "STALE"

/** The snapshot an index was built from; times are RFC 3339. */
export interface UsedSnapshot extends Required<Publication> {
  readonly snapshotId: string
  readonly entries: number
  readonly acceptances: readonly Acceptance[]
  readonly findings: readonly Finding[]
  /** It has fewer entries than the minimum size of its list, so a missing entry proves nothing. */
  readonly isIncomplete: boolean
}

export interface SourceState<Id extends string = SourceId> {
  readonly sourceId: Id
  readonly health: SourceHealth
  readonly freshness: SourceFreshness
  /** When `health` becomes STALE; null if nothing was ever imported. */
  readonly staleAt: string | null
  readonly ageSeconds: number | null
  /** Start of the age and of `staleAt`: when the bytes were retrieved, or when their publisher last confirmed them. */
  readonly checkedAt: string | null
  readonly reasonCodes: readonly string[]
  /**
   * The operator of a live directory accepted this publication although it is old or small. A Payment Decision treats it as STALE; the
   * other products add a condition.
   */
  readonly isAccepted: boolean
  readonly snapshot: UsedSnapshot | null
  /** The latest import, rollback or fetch round. */
  readonly lastAttempt: {
    readonly at: string
    readonly outcome: AttemptRow["outcome"] | SourceCheckRow["outcome"]
  } | null
  /** When the service next asks the publisher; null if it does not fetch. */
  readonly nextAttemptAt: string | null
}

export interface SourceBoard {
  /** The index belongs to the snapshots it was built from; both are replaced together. */
  readonly index: () => NameIndex
  /** The board's sources in their order, judged at `at` (milliseconds). */
  readonly states: (at: number) => readonly SourceState[]
}
