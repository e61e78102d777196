/** Computes the health of lists and registers at each call, because age must not be cached. */
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import type { SourceCheckRow } from "../../store/sources/source-checks.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources/sources.ts"
import { nextAttempt } from "../fetch/schedule/next-attempt.ts"
import { pollOf } from "../fetch/schedule/poll.ts"
import type { ListWindows, Windows } from "../records/windows.ts"
import { acceptedOldAt, type ListEnd, listEnd } from "./content-age.ts"
import { judgedAge, type Lack, type Lacks } from "./judged-age.ts"
import type { KnownSource } from "./known-source.ts"
import type { SourceState, UsedSnapshot } from "./source-board.ts"
import { isAccepted, usedSnapshot } from "./used-snapshot.ts"

export interface HealthInput {
  /** The snapshot in use; null if there is none, or its bytes could not be read. */
  readonly snapshot: SnapshotRow | null
  readonly attempt: AttemptRow | null
  readonly check: SourceCheckRow | null
  readonly disabled: boolean
  /** What this machine lacks of the active snapshot; default null. */
  readonly lack?: Lack | null
  /** Whether the service fetches from publishers itself. */
  readonly fetching: boolean
  /** Milliseconds. */
  readonly at: number
}

/** What a machine lacks that shares a database: the active snapshots of others without a folder here. */
export function lacksOf(absent: Iterable<Pick<SnapshotRow, "sourceId">>): Lacks {
  return new Map([...absent].map(({ sourceId }) => [sourceId, "SNAPSHOT_NOT_HERE"]))
}

export interface StoredState {
  /** The snapshots in use, by source id. */
  readonly snapshots: ReadonlyMap<string, { readonly row: SnapshotRow }>
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
  /** By source id. */
  readonly checks: ReadonlyMap<string, SourceCheckRow>
}

interface StatesOptions extends Pick<HealthInput, "at"> {
  /** Ids that the configuration disables. */
  readonly disabled: readonly string[]
  /** As in {@link HealthInput}; default false. */
  readonly fetching?: boolean
  /** What this machine lacks of active snapshots, by source id. */
  readonly lacks?: Lacks | undefined
}

/** Returns one state for each of `sources`, in that order. */
export function sourceStates<Source extends KnownSource>(
  sources: readonly Source[],
  { snapshots, attempts, checks }: StoredState,
  { disabled, fetching = false, lacks, at }: StatesOptions,
): readonly SourceState<Source["id"]>[] {
  return sources.map((source) =>
    sourceState(source, {
      snapshot: snapshots.get(source.id)?.row ?? null,
      attempt: attempts.get(source.id) ?? null,
      check: checks.get(source.id) ?? null,
      disabled: disabled.includes(source.id),
      lack: lacks?.get(source.id) ?? null,
      fetching,
      at,
    }),
  )
}

export function sourceState<Source extends KnownSource>(source: Source, input: HealthInput): SourceState<Source["id"]> {
  const { snapshot, attempt, check, disabled, lack = null, fetching, at } = input
  const used = snapshot ? usedSnapshot(snapshot) : null
  const { since, end, checkedAt } = snapshot && used ? agingOf(source, snapshot, used, check) : NO_AGING
  const isNeverFresh = (used?.acceptances.length ?? 0) > 0
  const { windows } = source
  const judged = judgedAge({ since, end, windows, isNeverFresh, attempt, disabled, lack, at })
  const accepted = used !== null && isAccepted(used)
  const poll = fetching && !disabled ? pollOf(source, snapshot) : null
  return {
    sourceId: source.id,
    ...judged,
    reasonCodes: accepted ? [...judged.reasonCodes, "SOURCE_ACCEPTED_BY_OPERATOR"] : judged.reasonCodes,
    isAccepted: accepted,
    checkedAt,
    snapshot: used,
    lastAttempt: lastAttemptOf(attempt, check),
    // Show a round that is due or running as due at `at`.
    nextAttemptAt: poll && formatInstant(Math.max(at, nextAttempt(poll, check, at))),
  }
}

interface Aging {
  /** Start of the age in milliseconds; null if nothing is stored. */
  readonly since: number | null
  readonly end: ListEnd | null
  readonly checkedAt: string | null
}

const NO_AGING: Aging = { since: null, end: null, checkedAt: null }
/** What every request would otherwise read again from five texts. It changes only with the rows. */
const known = new WeakMap<SnapshotRow, Aging & Pick<HealthInput, "check">>()

function agingOf(source: KnownSource, snapshot: SnapshotRow, used: UsedSnapshot, check: SourceCheckRow | null): Aging {
  const before = known.get(snapshot)
  if (before && before.check === check) return before
  const aging =
    source.kind === "LIST" ? listAging(source.windows, snapshot, used, check) : registerAging(source.windows, used)
  known.set(snapshot, { ...aging, check })
  return aging
}

/** The age of a list counts from the time when its publisher last sent or confirmed the bytes. */
function listAging(
  windows: ListWindows,
  snapshot: SnapshotRow,
  { publishedAt, confirmedAt, acceptances }: UsedSnapshot,
  check: SourceCheckRow | null,
): Aging {
  const seen = lastSeen(snapshot, check)
  const confirmed = confirmedAt === null ? null : instant(confirmedAt)
  const published = publishedAt === null ? null : instant(publishedAt)
  const end = listEnd({ seen, confirmed, published, acceptances }, windows)
  return { since: seen, end, checkedAt: formatInstant(seen) }
}

/**
 * INVARIANT: a publisher's "not modified" renews only the snapshot it was sent for. After a rollback or a manual import it proves nothing. A
 * snapshot of an earlier release has no confirmation of its own, so its last check applies until the next one.
 */
function lastSeen({ snapshotId, retrievedAt, confirmedAt, size }: SnapshotRow, check: SourceCheckRow | null): number {
  const retrieved = instant(retrievedAt)
  if (confirmedAt !== null) return Math.max(retrieved, instant(confirmedAt))
  if (size !== null) return retrieved
  if (check === null || check.checkedAt === null || check.checkedSnapshotId !== snapshotId) return retrieved
  return Math.max(retrieved, instant(check.checkedAt))
}

/**
 * CHOICE: the age of a register counts from its publication time if it states one, not from its retrieval. It is published as a whole on
 * known days, and last spring's register, fetched today, does not know a company that was dissolved in summer.
 */
function registerAging(
  windows: Windows,
  { sourceTimestamp, retrievedAt, publishedAt, acceptances }: UsedSnapshot,
): Aging {
  const since = Math.min(instant(retrievedAt), instant(sourceTimestamp))
  // An accepted old register may be used for one window from the acceptance.
  const accepted = acceptedOldAt(acceptances) ?? since
  const because = publishedAt !== null && instant(publishedAt) === since ? "CONTENT" : "RETRIEVAL"
  const end: ListEnd = { staleAt: Math.max(since, accepted) + windows.staleSeconds * SECOND, because }
  return { since, end, checkedAt: retrievedAt }
}

function lastAttemptOf(attempt: AttemptRow | null, check: SourceCheckRow | null): SourceState["lastAttempt"] {
  if (check && (attempt === null || instant(check.attemptedAt) > instant(attempt.at)))
    return { at: check.attemptedAt, outcome: check.outcome }
  return attempt && { at: attempt.at, outcome: attempt.outcome }
}
