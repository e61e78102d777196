import type { Database } from "bun:sqlite"
import type { Migration } from "../../../../db/migrations.ts"
import { StoreUnavailable } from "../store-error.ts"

/**
 * Returns a check that throws {@link StoreUnavailable} if the database has a migration after the newest of `known`: a newer release migrated the file
 * while this process has it open.
 */
export function schemaCheck(database: Database, known: readonly Migration[]): () => void {
  const newestKnown = known.at(-1)?.ordinal ?? 0
  const newestApplied = database.query<{ ordinal: number | null }, []>(
    "SELECT max(ordinal) AS ordinal FROM schema_migration",
  )
  return () => {
    const applied = newestApplied.get()?.ordinal ?? 0
    if (applied > newestKnown) throw new StoreUnavailable("SCHEMA_NEWER", {}, database.filename)
  }
}
