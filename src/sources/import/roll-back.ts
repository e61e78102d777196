import { UNWATCHED } from "../../base/long-work.ts"
import { formatInstant } from "../../core/time.ts"
import { rollBackTo, rollbackTarget } from "../../store/sources/source-changes.ts"
import { activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import { isHere } from "../machines/receive-snapshot.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import type { ImportContext } from "./import-source.ts"
import { snapshotFolder } from "./snapshot-files.ts"

type RolledBack =
  | { readonly outcome: "ROLLED_BACK"; readonly snapshot: SnapshotRow }
  | { readonly outcome: "NOTHING_KEPT" }
  /** This machine does not have the target, and a shared database cannot give it. `folder`: where it would be. */
  | { readonly outcome: "NOT_HERE"; readonly snapshot: SnapshotRow; readonly folder: string }
  /** The stored bytes are damaged. Activating them would make the source UNAVAILABLE. */
  | { readonly outcome: "UNREADABLE"; readonly fault: string }

/**
 * Makes the newest stored snapshot before the active one active again, after a check of all its stored bytes. The replaced snapshot is
 * withdrawn, and no rollback returns to it. Throws {@link ImportBusy} if an import or another rollback runs.
 */
export function rollBack(context: Omit<ImportContext, "environment" | "free">): Promise<RolledBack> {
  const { store, machine, root, shared = null, source, work = UNWATCHED } = context
  const { id, kept } = source
  const alone = async (): Promise<RolledBack> => {
    const target = await store.read(() => rollbackTarget(id))
    if (!target) return { outcome: "NOTHING_KEPT" }
    if (shared !== null) await kept.receiveMissing({ store, root }, [target, ...(await store.read(activeSnapshots))])
    if (shared !== null && !isHere(root, target))
      return { outcome: "NOT_HERE", snapshot: target, folder: snapshotFolder(root, id, target.snapshotId) }
    const fault = await kept.faultOf(root, target, work)
    if (fault !== null) return { outcome: "UNREADABLE", fault }
    const now = machine.now()
    const place = { store, root, shared, work }
    if (await kept.activate(place, target, now, () => rollBackTo(target, formatInstant(now))))
      return { outcome: "ROLLED_BACK", snapshot: target }
    throw new ImportBusy("the active snapshot changed during the rollback; try again")
  }
  return withImportLock(kept.lockFolder(root), alone, { shared, name: kept.lockName })
}
