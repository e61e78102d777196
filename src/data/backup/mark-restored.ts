/** Marks a database file as restored before anything else may read it. */
import { openDatabase } from "../../../db/open.ts"
import { SqliteStore } from "../../store/engine/sqlite/sqlite-store.ts"
import { type MarkedLog, type RestoreMark, recordRestore, tooManyRestores } from "./record-restore.ts"

/**
 * The file must be used by nobody else. It has no migrations applied here, so an earlier release can open it. After this call it is one file
 * without a write-ahead log. Throws BackupRefusal after too many restores.
 */
export async function markRestored(path: string, mark: RestoreMark): Promise<MarkedLog> {
  const store = new SqliteStore(openDatabase(path), (error) => {
    throw error
  })
  try {
    const marked = await store.run(() => recordRestore(mark))
    if (marked) return marked
    throw tooManyRestores()
  } finally {
    await store.close()
  }
}
