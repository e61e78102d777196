import type { Machine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { rollBackTo, rollbackTarget } from "../../store/sources/source-changes.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { activateWithIndex } from "../boards/save-index.ts"
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
export function rollBack(context: Omit<ImportContext, "environment">): Promise<RolledBack> {
  const { store, root, adapter, work } = context
  return rollBackSource({
    ...context,
    sourceId: adapter.id,
    lockedFolder: root,
    faultOf: (target) => readSnapshot(root, target).fault,
    activate: (target, now) => {
      work?.step({ what: "building the index of names" })
      return activateWithIndex({ store, root }, target, now, () => rollBackTo(target, formatInstant(now)))
    },
  })
}

export interface Rollback {
  readonly store: Store
  readonly machine: Machine
  readonly sourceId: string
  /** Folder of the lock that imports of this source take. */
  readonly lockedFolder: string
  /** Why the stored bytes of a snapshot cannot be used, or null. */
  readonly faultOf: (target: SnapshotRow) => string | null | Promise<string | null>
  /** Makes the snapshot active. Resolves to false if another process changed the active snapshot. `now` in milliseconds. */
  readonly activate: (target: SnapshotRow, now: number) => Promise<boolean>
}

/** The steps of a rollback, the same for lists and registers. */
export function rollBackSource(rollback: Rollback): Promise<RolledBack> {
  const { store, machine, sourceId, lockedFolder, faultOf, activate } = rollback
  return withImportLock(lockedFolder, async () => {
    const target = await store.read(() => rollbackTarget(sourceId))
    if (!target) return { outcome: "NOTHING_KEPT" }
    const fault = await faultOf(target)
    if (fault !== null) return { outcome: "UNREADABLE", fault }
    if (await activate(target, machine.now())) return { outcome: "ROLLED_BACK", snapshot: target }
    throw new ImportBusy("the active snapshot changed during the rollback; try again")
  })
}
