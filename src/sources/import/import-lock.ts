/**
 * Allows one import or rollback at a time: in a data directory, across processes, by a lock file; and where several machines share a database, by a
 * lock of the database too.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Exclusive } from "../../store/engine/engine.ts"
import { takeLockFile } from "../../store/engine/sqlite/lock-file.ts"

const LOCK_FILE = "import.lock"

/** Another process runs an import or rollback. */
export class ImportBusy extends Error {}

/** The lock of the database. */
interface SharedLock {
  /** Null if no other machine uses the database. */
  readonly shared: { readonly exclusive: Exclusive } | null
  /** Of the lock: the same on every machine. */
  readonly name: string
}

/**
 * Runs `work` under the lock. Throws {@link ImportBusy} at once if the lock is taken. `root` is the folder of all snapshots. Without `lock` it excludes
 * only the processes of this data directory, for work on its files alone.
 */
export function withImportLock<T>(root: string, work: () => Promise<T>, lock?: SharedLock): Promise<T> {
  return withLock(root, LOCK_FILE, "another import or rollback is running on this data directory", () =>
    lock
      ? withSharedLock(lock, "another import or rollback is running on another data directory or machine", work)
      : work(),
  )
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

/** Runs `work` while no process of another data directory or machine does. Throws {@link ImportBusy} with the text `busy`. */
export async function withSharedLock<T>(
  { shared, name }: SharedLock,
  busy: string,
  work: () => Promise<T>,
): Promise<T> {
  if (shared === null) return work()
  const done = await shared.exclusive(name, work)
  if (done === null) throw new ImportBusy(busy)
  return done.value
}
