import { formatInstant } from "../../core/time.ts"
import { rollBackTo, rollbackTarget } from "../../store/sources/source-changes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { activateWithIndex } from "../lists/save-index.ts"
import { ImportBusy, withImportLock } from "./import-lock.ts"
import type { ImportContext } from "./import-snapshot.ts"
import { readSnapshot } from "./snapshot-files.ts"

export type RolledBack =
  | { readonly outcome: "ROLLED_BACK"; readonly snapshot: SnapshotRow }
  | { readonly outcome: "NOTHING_KEPT" }
  /** The stored bytes are damaged. Activating them would make the source UNAVAILABLE. */
  | { readonly outcome: "UNREADABLE"; readonly fault: string }

/**
 * Makes the newest stored snapshot before the active one active again. The replaced snapshot is withdrawn, and no rollback returns to it.
 * Throws {@link ImportBusy} if an import or another rollback runs.
 */
export function rollBack({ store, machine, root, adapter }: Omit<ImportContext, "environment">): Promise<RolledBack> {
  return withImportLock(root, async () => {
    const target = await store.read(() => rollbackTarget(adapter.id))
    if (!target) return { outcome: "NOTHING_KEPT" }
    const { fault } = readSnapshot(root, target)
    if (fault !== null) return { outcome: "UNREADABLE", fault }
    const now = machine.now()
    const activate = () => rollBackTo(target, formatInstant(now))
    if (await activateWithIndex({ store, root }, target, now, activate))
      return { outcome: "ROLLED_BACK", snapshot: target }
    throw new ImportBusy("the active snapshot changed during the rollback; try again")
  })
}
