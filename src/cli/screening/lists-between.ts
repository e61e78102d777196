/** The lists at an earlier time and today, and what changed between them. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import { knownList } from "../../sources/boards/known-source.ts"
import { type EarlierList, listAt } from "../../sources/boards/lists-since.ts"
import { type LoadedSnapshots, listedParties, loadSnapshots } from "../../sources/boards/load-snapshots.ts"
import type { SourceState } from "../../sources/boards/source-board.ts"
import { sourceStates } from "../../sources/boards/source-health.ts"
import { loadSuppressions } from "../../sources/boards/suppression-book.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { type Party, REQUIRED_US_SOURCES, SOURCE_IDS, type SourceId } from "../../sources/records/party.ts"
import { compareLists, type ListChanges } from "../../sources/screening/list-changes.ts"
import type { SuppressionBook } from "../../sources/screening/suppress.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Input } from "../command.ts"
import { openData, readSettings } from "../inputs.ts"

export interface ListBetween {
  readonly sourceId: SourceId
  readonly before: SnapshotRow | null
  readonly after: SnapshotRow | null
  /** Null if the list of the earlier time cannot be read. */
  readonly changes: ListChanges | null
  /** Why it cannot be read. */
  readonly fault: string | null
}

export interface ListsBetween {
  /** Milliseconds. */
  readonly since: number
  readonly at: number
  readonly lists: readonly ListBetween[]
  /** What screening found then, and what it finds today. */
  readonly earlier: readonly Party[]
  readonly today: readonly Party[]
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly sources: readonly SourceState[]
  readonly suppressions: SuppressionBook
}

/** `--since`: a day, whose first instant in UTC counts, or a time in RFC 3339. Exits with 2 for anything else and for a time to come. */
export function readSince(text: string, now: number): number {
  const since = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (since === null)
    throw new CommandError(
      EXIT.USAGE,
      "--since is a day as YYYY-MM-DD (its start in UTC) or a time such as 2026-11-20T12:00:00Z",
    )
  if (since > now) throw new CommandError(EXIT.USAGE, `--since ${text} is after now, ${formatInstant(now)}`)
  return since
}

export async function openListsBetween(input: Input, since: number): Promise<ListsBetween> {
  const disabled = readSettings(input).config.sources_disabled
  const { engine, store, paths } = await openData(input)
  const log = createLog("warn", input.err, realMachine.now)
  const required: readonly SourceId[] = REQUIRED_US_SOURCES
  const only = SOURCE_IDS.filter((id) => required.includes(id) || !disabled.includes(id))
  try {
    const loaded = await loadSnapshots(
      { store, snapshotsDirectory: paths.snapshots, shared: sharedOf(engine, realMachine), log },
      { only, work: input.progress },
    )
    const at = realMachine.now()
    input.progress.step({ what: "reading the earlier lists", unit: "lists", total: only.length })
    const lists: EarlierList[] = []
    for (const id of only) {
      lists.push(await listAt({ store, root: paths.snapshots }, id, since))
      input.progress.done(lists.length)
    }
    const suppressions = await loadSuppressions(store, at)
    const inUse = only.filter((id) => required.includes(id) || loaded.active.has(id))
    const { snapshotIds, parties } = listedParties(loaded.snapshots, at)
    return {
      ...{ since, at, snapshotIds, suppressions },
      lists: lists.map((list) => between(list, loaded)),
      earlier: listedParties(
        new Map(lists.flatMap((one) => (one.snapshot ? [[one.sourceId, one.snapshot]] : []))),
        since,
      ).parties,
      today: parties,
      sources: sourceStates(inUse.map(knownList), loaded, { disabled, at }),
    }
  } finally {
    await store.close()
    input.progress.end()
  }
}

function between({ sourceId, snapshot, fault }: EarlierList, { snapshots, active }: LoadedSnapshots): ListBetween {
  const today = snapshots.get(sourceId)
  const unread = active.has(sourceId) && !today ? "the snapshot in use cannot be read" : null
  const why = fault ?? unread
  const changes = why === null ? compareLists(snapshot?.stored.parties ?? [], today?.stored.parties ?? []) : null
  return { sourceId, before: snapshot?.row ?? null, after: today?.row ?? null, changes, fault: why }
}
