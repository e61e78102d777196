/** A register's health, judged when it is asked for, in the words of the restricted-party sources. */
import { formatInstant, instant } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/source-checks.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources.ts"
import { judgedAge } from "../judged-age.ts"
import { nextAttempt } from "../schedule/next-attempt.ts"
import { registerPoll } from "../schedule/poll.ts"
import { lastAttemptOf, usedSnapshot } from "../source-health.ts"
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
  const since = snapshot ? speaksOf(snapshot) : null
  return {
    sourceId: adapter.id,
    ...judgedAge({ since, windows: adapter.windows, attempt, disabled, at }),
    checkedAt: snapshot?.retrievedAt ?? null,
    snapshot: snapshot && usedSnapshot(snapshot),
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
