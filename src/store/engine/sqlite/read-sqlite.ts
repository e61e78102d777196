import { pendingMigrations } from "../../../../db/migrate.ts"
import { openUnchanged } from "../../../../db/open-unchanged.ts"
import { atFirstUse } from "../../../core/at-first-use.ts"
import type { ReadOnlyDatabase } from "../engine.ts"
import { fileNames } from "./file-names.ts"
import { SqliteStore } from "./sqlite-store.ts"

/** Opens the database file of `path` for reading only. Throws the errors of SQLite and of the operating system. */
export function readSqlite(path: string): ReadOnlyDatabase {
  const { database, close } = openUnchanged(path)
  const store = atFirstUse(
    () =>
      new SqliteStore(database, (error) => {
        throw error
      }),
  )
  const pragma = (name: string) => Number(Object.values(database.query(`PRAGMA ${name}`).get() ?? {})[0] ?? 0)
  return {
    get store() {
      return store()
    },
    names: fileNames(path),
    pendingMigrations: async () => pendingMigrations(database),
    bytes: () => pragma("page_count") * pragma("page_size"),
    close,
  }
}
