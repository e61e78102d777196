/** Allows one import or rollback at a time in a data directory, across processes. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { takeLockFile } from "../../store/engine/sqlite/lock-file.ts"

const LOCK_FILE = "import.lock"

/** Another process runs an import or rollback. */
export class ImportBusy extends Error {}

/** Runs `work` under the lock. Throws {@link ImportBusy} at once if the lock is taken. `root` is the folder of all snapshots. */
export function withImportLock<T>(root: string, work: () => Promise<T>): Promise<T> {
  return withLock(root, LOCK_FILE, "another import or rollback is running on this data directory", work)
}

/** Same for other work that must not run twice: locks `file` in `folder`, and creates both if they are missing. */
export async function withLock<T>(folder: string, file: string, busy: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = takeLockFile(join(folder, file))
  if (lock === null) throw new ImportBusy(busy)
  try {
    return await work()
  } finally {
    lock.release()
  }
}
