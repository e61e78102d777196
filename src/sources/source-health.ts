/** A source's health, judged when it is asked for: age is never cached. Windows as each adapter states them. */
import { formatInstant, instant, SECOND } from "../core/time.ts"
import type { AttemptRow, SnapshotRow } from "../store/sources.ts"
import type { SourceAdapter } from "./adapter.ts"
import type { SourceId } from "./party.ts"
import { ADAPTERS } from "./registry.ts"
import type { SourceState, UsedSnapshot } from "./source-board.ts"

export interface HealthInput {
  readonly adapter: Pick<SourceAdapter, "id" | "windows">
  /** The snapshot the index was built from; null when there is none, or its bytes could not be read. */
  readonly snapshot: SnapshotRow | null
  readonly attempt: AttemptRow | null
  readonly disabled: boolean
  /** Milliseconds. */
  readonly at: number
}

export interface KnownSources {
  /** The snapshots the index was built from, by source id. */
  readonly snapshots: ReadonlyMap<string, { readonly row: SnapshotRow }>
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
}

/** One state for each of `sources`, in that order. `at` in milliseconds. */
export function sourceStates(
  sources: readonly SourceId[],
  { snapshots, attempts }: KnownSources,
  disabled: readonly string[],
  at: number,
): readonly SourceState[] {
  return sources.map((id) =>
    sourceState({
      adapter: ADAPTERS[id],
      snapshot: snapshots.get(id)?.row ?? null,
      attempt: attempts.get(id) ?? null,
      disabled: disabled.includes(id),
      at,
    }),
  )
}

export function sourceState({ adapter, snapshot, attempt, disabled, at }: HealthInput): SourceState {
  const used = snapshot ? usedSnapshot(snapshot) : null
  const age = used ? at - instant(used.retrievedAt) : null
  const staleAt = used ? instant(used.retrievedAt) + adapter.windows.staleSeconds * SECOND : null
  const isStale = staleAt === null || at >= staleAt
  const isAging = age !== null && age >= adapter.windows.freshSeconds * SECOND
  const freshness = isStale ? "STALE" : isAging ? "AGING" : "FRESH"
  const health = disabled
    ? "DISABLED"
    : used === null
      ? "UNAVAILABLE"
      : attempt?.schemaBreak === 1
        ? "SCHEMA_BREAK"
        : isStale
          ? "STALE"
          : "HEALTHY"
  return {
    sourceId: adapter.id,
    health,
    freshness,
    staleAt: staleAt === null ? null : formatInstant(staleAt),
    ageSeconds: age === null ? null : Math.max(0, Math.floor(age / SECOND)),
    reasonCodes: health === "HEALTHY" ? (freshness === "AGING" ? ["SOURCE_AGING"] : []) : [`SOURCE_${health}`],
    snapshot: used,
    lastAttempt: attempt ? { at: attempt.at, outcome: attempt.outcome } : null,
  }
}

/** CHOICE: where a publisher states no publication time, its files' retrieval time stands for it. */
function usedSnapshot(row: SnapshotRow): UsedSnapshot {
  return {
    snapshotId: row.snapshotId,
    sourceUrl: row.sourceUrl,
    sourceVersion: row.sourceVersion,
    sourceTimestamp: row.sourceTimestamp ?? row.retrievedAt,
    retrievedAt: row.retrievedAt,
    parserVersion: row.parserVersion,
    rawSha256: row.rawSha256,
    entries: row.entries,
  }
}
