import type { Store } from "../../store/engine/unit.ts"
import { snapshotsOnDisk } from "../../store/sources/sources.ts"
import { removeUnfinished } from "../details/build-folder.ts"
import { removeOrphans } from "./snapshot-files.ts"

interface Place {
  readonly store: Pick<Store, "read">
  /** Folder of all snapshots. */
  readonly root: string
}

/** Removes the folders that a killed import left, and the files of a killed build of details. Call it only under the lock of the source. */
export async function removeLeftovers({ store, root }: Place, sourceId: string): Promise<void> {
  const kept = await store.read(() => snapshotsOnDisk(sourceId))
  removeOrphans(root, sourceId, new Set(kept.map(({ snapshotId }) => snapshotId)))
  await removeUnfinished(root, sourceId)
}
