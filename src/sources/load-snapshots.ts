/** The active snapshots as they lie on disk, and what is screened of them. */
import type { Log } from "../log.ts"
import { type AttemptRow, activeSnapshots, lastAttempts, type SnapshotRow, sourceGeneration } from "../store/sources.ts"
import type { Store } from "../store/unit.ts"
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
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
}

/** `known` are snapshots that are in memory already; they are not read again. */
export async function loadSnapshots(
  { store, snapshotsDirectory, log }: SnapshotsPlace,
  known: ReadonlyMap<string, LoadedSnapshot> = new Map(),
): Promise<LoadedSnapshots> {
  const { generation, rows, attempts } = await store.read(function* () {
    return { generation: yield* sourceGeneration(), rows: yield* activeSnapshots(), attempts: yield* lastAttempts() }
  })
  const snapshots = new Map<string, LoadedSnapshot>()
  for (const row of rows) {
    const held = known.get(row.sourceId)
    if (held?.row.snapshotId === row.snapshotId) {
      snapshots.set(row.sourceId, held)
      continue
    }
    const { stored, fault } = readSnapshot(snapshotsDirectory, row)
    if (stored) snapshots.set(row.sourceId, { row, stored })
    else log.error("snapshot_unreadable", { source_id: row.sourceId, snapshot_id: row.snapshotId, why: fault })
  }
  return { generation, snapshots, attempts: new Map(attempts.map((attempt) => [attempt.sourceId, attempt])) }
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
