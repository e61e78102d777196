/** A store on a fresh file with all migrations, for tests that append to the log. */
import type { Database } from "bun:sqlite"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { openMigrated } from "../fixtures/new-database.ts"

export interface LogBench extends AsyncDisposable {
  readonly path: string
  readonly database: Database
  readonly store: SqliteStore
}

export function logBench(): LogBench {
  const fresh = freshDirectory()
  const path = `${fresh.path}/bizauth.db`
  const { database, store } = openLog(path)
  return {
    path,
    database,
    store,
    [Symbol.asyncDispose]: async () => {
      await store.close()
      fresh[Symbol.dispose]()
    },
  }
}

export function openLog(path: string): { readonly database: Database; readonly store: SqliteStore } {
  const database = openMigrated(path)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return { database, store }
}
