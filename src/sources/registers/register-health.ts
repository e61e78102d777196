/** A register's health, judged when it is asked for, in the words of the restricted-party sources. */
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/source-checks.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources.ts"
import { nextAttempt } from "../schedule/next-attempt.ts"
import { registerPoll } from "../schedule/poll.ts"
import type { SourceHealth } from "../source-board.ts"
import { lastAttemptOf } from "../source-health.ts"
import type { RegisterAdapter } from "./register-adapter.ts"
import type { RegisterState } from "./register-board.ts"

export interface RegisterHealthInput {
  readonly adapter: Pick<RegisterAdapter, "id" | "windows">
  /** The snapshot that is open; null when there is none, or it could not be read. */
  readonly snapshot: SnapshotRow | null
  readonly attempt: AttemptRow | null
  readonly check: SourceCheckRow | null
  readonly disabled: boolean
  /** Whether the service asks publishers by itself. */
  readonly fetching: boolean
  /** Milliseconds. */
  readonly at: number
}

export function registerState(input: RegisterHealthInput): RegisterState {
  const { adapter, snapshot, attempt, check, disabled, fetching, at } = input
  const heldSince = snapshot ? speaksOf(snapshot) : null
  const age = heldSince === null ? null : at - heldSince
  const staleAt = heldSince === null ? null : heldSince + adapter.windows.staleSeconds * SECOND
  const isStale = staleAt === null || at >= staleAt
  const freshness = isStale ? "STALE" : age !== null && age >= adapter.windows.freshSeconds * SECOND ? "AGING" : "FRESH"
  const health: SourceHealth = disabled
    ? "DISABLED"
    : snapshot === null
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
    checkedAt: snapshot?.retrievedAt ?? null,
    snapshot: snapshot && {
      snapshotId: snapshot.snapshotId,
      sourceUrl: snapshot.sourceUrl,
      sourceVersion: snapshot.sourceVersion,
      sourceTimestamp: snapshot.sourceTimestamp ?? snapshot.retrievedAt,
      retrievedAt: snapshot.retrievedAt,
      parserVersion: snapshot.parserVersion,
      rawSha256: snapshot.rawSha256,
      entries: snapshot.entries,
    },
    lastAttempt: lastAttemptOf(attempt, check),
    // One that was never imported is not asked for.
    nextAttemptAt:
      fetching && !disabled && snapshot
        ? formatInstant(Math.max(at, nextAttempt(registerPoll(adapter, snapshot), check, at)))
        : null,
  }
}

/**
 * CHOICE: a register's age counts from its publication time where it states one, and not from the retrieval: it is published as a
 * whole on known days, and last spring's register fetched this morning says nothing of a company dissolved in summer.
 */
function speaksOf({ sourceTimestamp, retrievedAt }: SnapshotRow): number {
  return Math.min(instant(retrievedAt), instant(sourceTimestamp ?? retrievedAt))
}
