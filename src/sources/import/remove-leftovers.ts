import { snapshotsOnDisk } from "../../store/sources/sources.ts"
import type { Place } from "./kept.ts"
import { removeOrphans } from "./snapshot-files.ts"

/** Removes the folders that a killed import left. Call it only under the lock of the source. */
export async function removeLeftovers({ store, root }: Place, sourceId: string): Promise<void> {
  const kept = await store.read(() => snapshotsOnDisk(sourceId))
  removeOrphans(root, sourceId, new Set(kept.map(({ snapshotId }) => snapshotId)))
}
