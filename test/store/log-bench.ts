/** A store on a fresh file with all migrations, for tests that append to the log. */
import type { Database } from "bun:sqlite"
import { migrate } from "../../db/migrate.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/sqlite-store.ts"
import { freshDirectory } from "../fixtures/directories.ts"

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
  const database = openDatabase(path)
  migrate(database, "2026-01-01T00:00:00.000Z")
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return { database, store }
}
