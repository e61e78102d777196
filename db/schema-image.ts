/**
 * The whole schema as the bytes of an empty database. The migrations take fifty milliseconds and a copy of their result takes one, so every
 * new database of a process begins as a copy: the one that `init` makes, and one for each sandbox.
 */
import { Database } from "bun:sqlite"
import { migrate } from "./migrate.ts"

let image: Uint8Array | null = null

/** Bytes of a database that has every migration of this binary. Give its migrations their time with {@link stampSchema}. */
export function schemaImage(): Uint8Array {
  image ??= makeImage()
  return image
}

function makeImage(): Uint8Array {
  const database = new Database(":memory:", { strict: true })
  try {
    migrate(database, "")
    return database.serialize()
  } finally {
    database.close()
  }
}

/** Opens a copy of the image in memory. `appliedAt` is an RFC 3339 instant. */
export function openInMemory(appliedAt: string): Database {
  const database = Database.deserialize(schemaImage(), { strict: true })
  database.run("PRAGMA foreign_keys = ON")
  stampSchema(database, appliedAt)
  return database
}

/** Sets the time of all migrations of a copy, an RFC 3339 instant. Returns their number. */
export function stampSchema(database: Database, appliedAt: string): number {
  return database.query("UPDATE schema_migration SET applied_at = ?1").run(appliedAt).changes
}
