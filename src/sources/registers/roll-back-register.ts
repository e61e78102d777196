import { formatInstant } from "../../core/time.ts"
import { rollBackTo, rollbackTarget } from "../../store/source-changes.ts"
import type { SnapshotRow } from "../../store/sources.ts"
import { ImportBusy, withImportLock } from "../import-lock.ts"
import type { RolledBack } from "../roll-back.ts"
import { fileDigest } from "./copy-file.ts"
import type { RegisterImportContext } from "./import-register.ts"
import { registerPath, registerRoot } from "./register-snapshot.ts"

/** As `rollBack`, for a register: the whole file is proven before it is made active again. */
export function rollBackRegister({ store, machine, root, adapter }: RegisterImportContext): Promise<RolledBack> {
  return withImportLock(registerRoot(root, adapter.id), async () => {
    const target = await store.read(() => rollbackTarget(adapter.id))
    if (!target) return { outcome: "NOTHING_KEPT" }
    const fault = await faultOf(root, target)
    if (fault !== null) return { outcome: "UNREADABLE", fault }
    const at = formatInstant(machine.now())
    if (await store.run(() => rollBackTo(target, at))) return { outcome: "ROLLED_BACK", snapshot: target }
    throw new ImportBusy("the active snapshot changed during the rollback; try again")
  })
}

async function faultOf(root: string, row: SnapshotRow): Promise<string | null> {
  try {
    const digest = await fileDigest(registerPath(root, row), async () => true)
    return `sha256:${digest}` === row.partiesSha256 ? null : "the register has other bytes than recorded"
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return error.message
    throw error
  }
}
