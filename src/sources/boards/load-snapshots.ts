/** Loads the active snapshots from disk, and their screened names. For a command, which reads them once and exits. */

import type { Log } from "../../base/log.ts"
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { AttemptRow, SnapshotRow } from "../../store/sources/sources.ts"
import { stillScreened } from "../import/removed-parties.ts"
import { readSnapshot, type StoredParties } from "../import/snapshot-files.ts"
import { receiveLists } from "../machines/receive-snapshot.ts"
import type { Shared } from "../machines/shared-database.ts"
import { type Party, SOURCE_IDS, type SourceId } from "../records/party.ts"
import { type SourceChecks, sourceRows } from "../records/source-rows.ts"
import { NameIndex } from "../screening/name-index.ts"

export interface SnapshotsPlace {
  readonly store: Store
  readonly snapshotsDirectory: string
  /** Given if processes on several machines share the database. Then the lists that this machine lacks are taken from it first. */
  readonly shared?: Shared | null
  readonly log: Log
}

interface LoadedSnapshot {
  readonly row: SnapshotRow
  readonly stored: StoredParties
}

export interface LoadedSnapshots {
  /** By source id. A source whose bytes are missing or damaged is left out and logged. */
  readonly snapshots: ReadonlyMap<string, LoadedSnapshot>
  /** Ids of the sources that have an active snapshot, readable or not. */
  readonly active: ReadonlySet<string>
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
  readonly checks: SourceChecks
}

export interface LoadOptions {
  /** The sources to load; default: all. */
  readonly only?: readonly SourceId[]
  readonly work?: LongWork
}

export async function loadSnapshots(
  { store, snapshotsDirectory, shared, log }: SnapshotsPlace,
  { only = SOURCE_IDS, work = UNWATCHED }: LoadOptions = {},
): Promise<LoadedSnapshots> {
  const { active, attempts, checks } = await store.read(() => sourceRows(only))
  if (shared) await receiveLists({ store, root: snapshotsDirectory }, active)
  const snapshots = new Map<string, LoadedSnapshot>()
  work.step({ what: "reading the lists", unit: "lists", total: active.length })
  for (const [at, row] of active.entries()) {
    const { stored, fault } = readSnapshot(snapshotsDirectory, row)
    if (stored) snapshots.set(row.sourceId, { row, stored })
    else log.error("snapshot_unreadable", { source_id: row.sourceId, snapshot_id: row.snapshotId, why: fault })
    work.done(at + 1)
  }
  return { snapshots, active: new Set(active.map(({ sourceId }) => sourceId)), attempts, checks }
}

/** The parties to screen, and the snapshots that they come from. */
export interface ListedParties {
  /** Maps source id to snapshot id. */
  readonly snapshotIds: Readonly<Record<string, string>>
  readonly parties: readonly Party[]
}

/** `now` (milliseconds) decides which removed entries are still screened. */
export function listedParties(snapshots: ReadonlyMap<string, LoadedSnapshot>, now: number): ListedParties {
  const all = [...snapshots.values()]
  return {
    snapshotIds: Object.fromEntries(all.map(({ row }) => [row.sourceId, row.snapshotId])),
    parties: all.flatMap(({ stored }) => [
      ...stored.parties,
      ...stillScreened(stored.removed, now).map(({ party }) => party),
    ]),
  }
}

/** Builds one index over all snapshots. `now` (milliseconds) decides which removed entries are still screened. */
export function indexOf(snapshots: ReadonlyMap<string, LoadedSnapshot>, now: number): NameIndex {
  return new NameIndex(listedParties(snapshots, now))
}
