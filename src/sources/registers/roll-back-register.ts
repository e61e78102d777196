import { formatInstant } from "../../core/time.ts"
import { rollBackTo, rollbackTarget } from "../../store/sources/source-changes.ts"
import { ImportBusy, withImportLock } from "../publication/import-lock.ts"
import type { RolledBack } from "../publication/roll-back.ts"
import { registerFault } from "./check-register.ts"
import type { RegisterImportContext } from "./import-register.ts"
import { registerRoot } from "./register-snapshot.ts"

/** Same as `rollBack`, for a register: all stored bytes are verified before the snapshot becomes active again. */
export function rollBackRegister({
  store,
  machine,
  root,
  adapter,
}: Omit<RegisterImportContext, "environment">): Promise<RolledBack> {
  return withImportLock(registerRoot(root, adapter.id), async () => {
    const target = await store.read(() => rollbackTarget(adapter.id))
    if (!target) return { outcome: "NOTHING_KEPT" }
    const fault = await registerFault(root, target)
    if (fault !== null) return { outcome: "UNREADABLE", fault }
    const at = formatInstant(machine.now())
    if (await store.run(() => rollBackTo(target, at))) return { outcome: "ROLLED_BACK", snapshot: target }
    throw new ImportBusy("the active snapshot changed during the rollback; try again")
  })
}
