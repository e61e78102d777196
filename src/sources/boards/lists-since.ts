/** The lists as they were in use at an earlier time, from the snapshots that are kept. */
import { instant } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { sourceHistory } from "../../store/sources/source-history.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { readSnapshot, type StoredParties } from "../import/snapshot-files.ts"
import type { SourceId } from "../records/party.ts"

export interface EarlierList {
  readonly sourceId: SourceId
  /** Null if nothing was in use then. */
  readonly snapshot: { readonly row: SnapshotRow; readonly stored: StoredParties } | null
  /** Why the list of that time cannot be read; null if it can, or if there was none. */
  readonly fault: string | null
}

interface EarlierPlace {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
}

/** Far more imports and rollbacks than one source has in the time that snapshots are kept. */
const CHANGES_READ = 100_000

/** `at` in milliseconds. */
export async function listAt({ store, root }: EarlierPlace, sourceId: SourceId, at: number): Promise<EarlierList> {
  const { changes } = await store.read(() => sourceHistory(sourceId, CHANGES_READ))
  const used = changes.find((one) => one.kind !== "REFUSED" && one.snapshotId !== null && instant(one.at) <= at)
  if (!used) return { sourceId, snapshot: null, fault: null }
  const kept = await store.read(() => snapshotsOnDisk(sourceId))
  const row = kept.find(({ snapshotId }) => snapshotId === used.snapshotId)
  const fault = (why: string) => ({ sourceId, snapshot: null, fault: why })
  if (!row) {
    const oldest = kept.at(-1)
    const since = oldest ? `; the oldest one that is kept is in use since ${oldest.importedAt}` : ""
    return fault(`the snapshot of that time (${used.snapshotId}, imported ${used.at}) is not kept${since}`)
  }
  const read = readSnapshot(root, row)
  return read.stored ? { sourceId, snapshot: { row, stored: read.stored }, fault: null } : fault(read.fault)
}
