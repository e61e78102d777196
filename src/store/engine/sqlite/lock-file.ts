import { Database, SQLiteError } from "bun:sqlite"
import { onFile } from "./database-fault.ts"

/** A lock on a file of its own, which the kernel releases when the process is killed. So no stale lock remains. */
interface LockFile {
  release(): void
}

/** Takes the lock, and makes its file if it is missing. Null at once if another process, or another caller of this one, has the lock. */
export function takeLockFile(path: string): LockFile | null {
  const lock = onFile("the lock file", path, () => new Database(path, { create: true, readwrite: true }))
  try {
    lock.run("PRAGMA busy_timeout = 0")
    lock.run("BEGIN EXCLUSIVE")
    return { release: () => lock.close(false) }
  } catch (error) {
    lock.close(false)
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return null
    throw error
  }
}
