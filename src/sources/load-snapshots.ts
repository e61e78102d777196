/** The active snapshots as they lie on disk, and what is screened of them. */
import type { Log } from "../log.ts"
import { type AttemptRow, activeSnapshots, lastAttempts, type SnapshotRow, sourceGeneration } from "../store/sources.ts"
import type { Store } from "../store/unit.ts"
import { SOURCE_IDS, type SourceId } from "./party.ts"
import { stillScreened } from "./removed-parties.ts"
import { NameIndex } from "./screening/name-index.ts"
import { readSnapshot, type StoredParties } from "./snapshot-files.ts"

export interface SnapshotsPlace {
  readonly store: Store
  readonly snapshotsDirectory: string
  readonly log: Log
}

export interface LoadedSnapshot {
  readonly row: SnapshotRow
  readonly stored: StoredParties
}

export interface LoadedSnapshots {
  /** Of the database when this was read. */
  readonly generation: number
  /** By source id. A source whose bytes are missing or damaged is left out, and a line is logged. */
  readonly snapshots: ReadonlyMap<string, LoadedSnapshot>
  /** Ids of the sources that have an active snapshot, readable or not. */
  readonly active: ReadonlySet<string>
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
}

export interface LoadOptions {
  /** The sources that are loaded; all of them unless given. */
  readonly only?: readonly SourceId[]
  /** Snapshots that are in memory already; they are not read again. */
  readonly known?: ReadonlyMap<string, LoadedSnapshot>
}

export async function loadSnapshots(
  { store, snapshotsDirectory, log }: SnapshotsPlace,
  { only = SOURCE_IDS, known = new Map() }: LoadOptions = {},
): Promise<LoadedSnapshots> {
  const wanted: readonly string[] = only
  const { generation, rows, attempts } = await store.read(function* () {
    return { generation: yield* sourceGeneration(), rows: yield* activeSnapshots(), attempts: yield* lastAttempts() }
  })
  const snapshots = new Map<string, LoadedSnapshot>()
  const actives = rows.filter((row) => wanted.includes(row.sourceId))
  for (const row of actives) {
    const held = known.get(row.sourceId)
    if (held?.row.snapshotId === row.snapshotId) {
      snapshots.set(row.sourceId, held)
      continue
    }
    const { stored, fault } = readSnapshot(snapshotsDirectory, row)
    if (stored) snapshots.set(row.sourceId, { row, stored })
    else log.error("snapshot_unreadable", { source_id: row.sourceId, snapshot_id: row.snapshotId, why: fault })
  }
  const active = new Set(actives.map(({ sourceId }) => sourceId))
  return { generation, snapshots, active, attempts: new Map(attempts.map((attempt) => [attempt.sourceId, attempt])) }
}

/** One index over all of them. `now` in milliseconds ends the screening of entries that left their list. */
export function indexOf(snapshots: ReadonlyMap<string, LoadedSnapshot>, now: number): NameIndex {
  const all = [...snapshots.values()]
  return new NameIndex({
    snapshotIds: Object.fromEntries(all.map(({ row }) => [row.sourceId, row.snapshotId])),
    parties: all.flatMap(({ stored }) => [
      ...stored.parties,
      ...stillScreened(stored.removed, now).map(({ party }) => party),
    ]),
  })
}
