import { SchemaMismatch } from "../../../db/applied-migrations.ts"
import { pendingMigrations } from "../../../db/migrate.ts"
import { openUnchanged } from "../../../db/open-unchanged.ts"
import { BackupRefusal } from "./backup-refusal.ts"

/** Names of the migrations that this release would apply. Throws {@link BackupRefusal} for a database of a newer or another release. */
export function requireKnownSchema(path: string): readonly string[] {
  const { database, close } = openUnchanged(path)
  try {
    return pendingMigrations(database).map(({ name }) => name)
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error
    throw new BackupRefusal("NEWER", `${error.message}; use the release that made it, or a newer one`)
  } finally {
    close()
  }
}
