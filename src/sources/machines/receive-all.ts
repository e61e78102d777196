/** Brings every list of a shared database to this machine, such as before the database moves to a file of this machine. */
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { Store } from "../../store/engine/unit.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { snapshotFault } from "../import/snapshot-files.ts"
import { SOURCE_IDS } from "../records/party.ts"
import { isPassing, receiveSnapshot } from "./receive-snapshot.ts"

interface AllPlace {
  /** Of the shared database. */
  readonly store: Pick<Store, "read">
  /** Folder of all snapshots of this machine. */
  readonly root: string
  readonly work?: LongWork
}

/** A snapshot that is not whole on this machine, and that the database cannot give. */
interface Unreceived extends Pick<SnapshotRow, "sourceId" | "snapshotId" | "state"> {
  /** For people; a sentence without its end. */
  readonly why: string
}

/**
 * Receives each kept snapshot of every list that this machine lacks or whose bytes here are damaged, as `sources verify` does for one list. Returns
 * those that it cannot receive, in the order of the lists, newest import first; none if every list is whole here. Registers are left out: a shared
 * database does not have them. Only reads the database. Rejects with errors that are bugs.
 */
export async function receiveAll({ store, root, work = UNWATCHED }: AllPlace): Promise<readonly Unreceived[]> {
  const snapshots: SnapshotRow[] = []
  for (const id of SOURCE_IDS) snapshots.push(...(await store.read(() => snapshotsOnDisk(id))))
  work.step({ what: "taking the lists from the database", unit: "lists", total: snapshots.length })
  const unreceived: Unreceived[] = []
  for (const [at, row] of snapshots.entries()) {
    const { sourceId, snapshotId, state } = row
    if (snapshotFault(root, row) !== null)
      await receiveSnapshot({ store, root }, row).catch((error: unknown) => {
        if (!isPassing(error)) throw error
        unreceived.push({ sourceId, snapshotId, state, why: error.message })
      })
    work.done(at + 1)
  }
  return unreceived
}
