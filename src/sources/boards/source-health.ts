/** Computes the health of sources at each call, because age must not be cached. Each adapter states its windows. */
import { formatInstant, instant } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources/sources.ts"
import { nextAttempt } from "../fetch/schedule/next-attempt.ts"
import { pollOf } from "../fetch/schedule/poll.ts"
import type { SourceAdapter } from "../records/adapter.ts"
import type { SourceId } from "../records/party.ts"
import { type ListEnd, listEnd } from "./content-age.ts"
import { judgedAge } from "./judged-age.ts"
import type { SourceState, UsedSnapshot } from "./source-board.ts"
import { isAccepted, usedSnapshot } from "./used-snapshot.ts"
import { WINDOWS } from "./windows.ts"

export interface HealthInput {
  readonly adapter: Pick<SourceAdapter, "id" | "windows">
  /** The snapshot the index was built from; null if there is none, or its bytes could not be read. */
  readonly snapshot: SnapshotRow | null
  readonly attempt: AttemptRow | null
  readonly check: SourceCheckRow | null
  readonly disabled: boolean
  /** Whether the service fetches from publishers itself. */
  readonly fetching: boolean
  /** Milliseconds. */
  readonly at: number
}

export interface KnownSources {
  /** The snapshots the index was built from, by source id. */
  readonly snapshots: ReadonlyMap<string, { readonly row: SnapshotRow }>
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
  /** By source id. */
  readonly checks: ReadonlyMap<string, SourceCheckRow>
}

/** Returns one state for each of `sources`, in that order. `at` is in milliseconds. */
export function sourceStates(
  sources: readonly SourceId[],
  { snapshots, attempts, checks }: KnownSources,
  disabled: readonly string[],
  at: number,
  fetching = false,
): readonly SourceState[] {
  return sources.map((id) =>
    sourceState({
      adapter: { id, windows: WINDOWS[id] },
      snapshot: snapshots.get(id)?.row ?? null,
      attempt: attempts.get(id) ?? null,
      check: checks.get(id) ?? null,
      disabled: disabled.includes(id),
      fetching,
      at,
    }),
  )
}

export function sourceState(input: HealthInput): SourceState {
  const { adapter, snapshot, attempt, check, disabled, fetching, at } = input
  const used = snapshot ? usedSnapshot(snapshot) : null
  const { seen, end } = snapshot && used ? agingOf(snapshot, used, check, adapter.windows) : NO_AGING
  const isNeverFresh = (used?.acceptances.length ?? 0) > 0
  const { windows } = adapter
  const judged = judgedAge({ since: seen, end, windows, isNeverFresh, attempt, disabled, at })
  const accepted = used !== null && isAccepted(used)
  return {
    sourceId: adapter.id,
    ...judged,
    reasonCodes: accepted ? [...judged.reasonCodes, "SOURCE_ACCEPTED_BY_OPERATOR"] : judged.reasonCodes,
    isAccepted: accepted,
    checkedAt: seen === null ? null : formatInstant(seen),
    snapshot: used,
    lastAttempt: lastAttemptOf(attempt, check),
    // Show a round that is due or running as due at `at`.
    nextAttemptAt:
      fetching && !disabled ? formatInstant(Math.max(at, nextAttempt(pollOf(adapter.id), check, at))) : null,
  }
}

interface Aging {
  /** When the publisher last sent or confirmed the bytes, in milliseconds; null if nothing is stored. */
  readonly seen: number | null
  readonly end: ListEnd | null
}

const NO_AGING: Aging = { seen: null, end: null }
/** What every request would otherwise read again from five texts. It changes only with the rows. */
const known = new WeakMap<SnapshotRow, Aging & Pick<HealthInput, "check">>()

function agingOf(
  snapshot: SnapshotRow,
  used: UsedSnapshot,
  check: SourceCheckRow | null,
  windows: HealthInput["adapter"]["windows"],
): Aging {
  const before = known.get(snapshot)
  if (before && before.check === check) return before
  const seen = lastSeen(snapshot, check)
  const aging = { check, seen, end: endOf(used, seen, windows) }
  known.set(snapshot, aging)
  return aging
}

function endOf(
  { publishedAt, confirmedAt, acceptances }: UsedSnapshot,
  seen: number,
  windows: HealthInput["adapter"]["windows"],
): ListEnd {
  const confirmed = confirmedAt === null ? null : instant(confirmedAt)
  const published = publishedAt === null ? null : instant(publishedAt)
  return listEnd({ seen, confirmed, published, acceptances }, windows)
}

/**
 * INVARIANT: a publisher's "not modified" renews only the snapshot it was said of. After a rollback or a manual import it says nothing. A
 * snapshot of an earlier release has no confirmation of its own, so its last check applies until the next one.
 */
function lastSeen({ snapshotId, retrievedAt, confirmedAt, size }: SnapshotRow, check: SourceCheckRow | null): number {
  const retrieved = instant(retrievedAt)
  if (confirmedAt !== null) return Math.max(retrieved, instant(confirmedAt))
  if (size !== null) return retrieved
  if (check === null || check.checkedAt === null || check.checkedSnapshotId !== snapshotId) return retrieved
  return Math.max(retrieved, instant(check.checkedAt))
}

export function lastAttemptOf(attempt: AttemptRow | null, check: SourceCheckRow | null): SourceState["lastAttempt"] {
  if (check && (attempt === null || instant(check.attemptedAt) > instant(attempt.at)))
    return { at: check.attemptedAt, outcome: check.outcome }
  return attempt && { at: attempt.at, outcome: attempt.outcome }
}
