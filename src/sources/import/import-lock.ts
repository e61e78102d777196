/**
 * Allows one import or rollback at a time in a data directory, across processes. The lock is an SQLite lock on a separate file, because the
 * kernel releases it when a process is killed. So no stale lock file remains.
 */
import { Database, SQLiteError } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { onFile } from "../../store/engine/sqlite/database-fault.ts"

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
  const path = join(folder, file)
  const lock = onFile("the lock file", path, () => new Database(path, { create: true, readwrite: true }))
  try {
    take(lock, busy)
    return await work()
  } finally {
    lock.close(false)
  }
}

function take(lock: Database, busy: string): void {
  lock.run("PRAGMA busy_timeout = 0")
  try {
    lock.run("BEGIN EXCLUSIVE")
  } catch (error) {
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") {
      throw new ImportBusy(busy)
    }
    throw error
  }
}
