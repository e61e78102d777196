/**
 * One import or rollback at a time in a data directory, in whatever process. The lock is SQLite's own on a file of its own, because
 * the kernel gives it back when a process is killed: no lock file is ever left to be judged by its age.
 */
import { Database, SQLiteError } from "bun:sqlite"
import { mkdirSync } from "node:fs"
import { join } from "node:path"

const LOCK_FILE = "import.lock"

/** Another process imports or rolls back at this moment. */
export class ImportBusy extends Error {}

/** Runs `work` alone. Throws {@link ImportBusy} at once when it cannot. `root` is the folder of all snapshots. */
export function withImportLock<T>(root: string, work: () => Promise<T>): Promise<T> {
  return withLock(root, LOCK_FILE, "another import or rollback is running on this data directory", work)
}

/** The same for other work that must not run twice: `file` in `folder`, both made where they are missing. */
export async function withLock<T>(folder: string, file: string, busy: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = new Database(join(folder, file), { create: true, readwrite: true })
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
