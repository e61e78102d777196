import { formatInstant } from "../../core/time.ts"
import { rollBackTo } from "../../store/sources/source-changes.ts"
import { registerFault } from "./check-register.ts"
import type { RegisterImportContext } from "./import-register.ts"
import { registerRoot } from "./register-snapshot.ts"
import { type RolledBack, rollBackSource } from "./roll-back.ts"

/** Same as `rollBack`, for a register: all stored bytes are verified before the snapshot becomes active again. */
export function rollBackRegister(context: Omit<RegisterImportContext, "environment">): Promise<RolledBack> {
  const { store, root, adapter, work } = context
  return rollBackSource({
    ...context,
    sourceId: adapter.id,
    lockedFolder: registerRoot(root, adapter.id),
    faultOf: (target) => registerFault(root, target, work),
    activate: (target, now) => store.run(() => rollBackTo(target, formatInstant(now))),
  })
}
