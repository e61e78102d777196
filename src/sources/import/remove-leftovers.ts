import type { Store } from "../../store/engine/unit.ts"
import { snapshotsOnDisk } from "../../store/sources/sources.ts"
import type { RegisterId } from "../records/register-id.ts"
import { removeOrphans } from "./snapshot-files.ts"

interface Place {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
  readonly adapter: { readonly id: RegisterId }
}

/** Removes what a killed import left. Call it only under the register's import lock. */
export async function removeLeftovers({ store, root, adapter }: Place): Promise<void> {
  const kept = await store.read(() => snapshotsOnDisk(adapter.id))
  removeOrphans(root, adapter.id, new Set(kept.map(({ snapshotId }) => snapshotId)))
}
