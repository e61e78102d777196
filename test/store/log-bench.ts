/** A file with all migrations, for processes that append to the log of one SQLite database. */
import type { Database } from "bun:sqlite"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { openMigrated } from "../fixtures/new-database.ts"

export function openLog(path: string): { readonly database: Database; readonly store: SqliteStore } {
  const database = openMigrated(path)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return { database, store }
}
