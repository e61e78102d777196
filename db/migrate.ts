/**
 * Applies the migrations of this binary, in order, in one transaction, and stores the hash of each. Rejects a database with a migration that
 * this binary does not have: an old binary must never write into a newer schema.
 */
import type { Database, Statement } from "bun:sqlite"
import { type Applied, hashOf, pendingAfter } from "./applied-migrations.ts"
import type { Fill, FillStatement } from "./fill.ts"
import { type Migration, migrations } from "./migrations.ts"
import { BUSY_TIMEOUT_MS, STARTING_BUSY_TIMEOUT_MS } from "./open.ts"

/**
 * Returns the names applied now, oldest first. `appliedAt` is an RFC 3339 instant. Throws {@link SchemaMismatch}. A migration may replace a
 * table that others refer to, so references are checked once, before the commit. `onApplied` receives how many are applied so far.
 */
export function migrate(
  database: Database,
  appliedAt: string,
  known: readonly Migration[] = migrations,
  onApplied: (count: number) => void = () => {},
): string[] {
  // Two processes may start on one file. The second waits until the first has migrated, and then has nothing to do.
  database.run(`PRAGMA busy_timeout = ${STARTING_BUSY_TIMEOUT_MS}`)
  // SQLite ignores this inside a transaction.
  database.run("PRAGMA foreign_keys = OFF")
  try {
    database.run("BEGIN IMMEDIATE")
    const pending = pendingMigrations(database, known)
    database.run(
      "CREATE TABLE IF NOT EXISTS schema_migration (ordinal INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
    )
    for (const [at, migration] of pending.entries()) {
      apply(database, migration, appliedAt)
      onApplied(at + 1)
    }
    if (pending.length > 0) requireReferences(database)
    database.run("COMMIT")
    return pending.map(({ name }) => name)
  } catch (error) {
    if (database.inTransaction) database.run("ROLLBACK")
    throw error
  } finally {
    database.run("PRAGMA foreign_keys = ON")
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

function requireReferences(database: Database): void {
  const [broken] = database.query("PRAGMA foreign_key_check").all() as { table: string; parent: string }[]
  if (broken) throw new Error(`a migration left a row of ${broken.table} without its row of ${broken.parent}`)
}

function apply(database: Database, { ordinal, name, sql, fill }: Migration, appliedAt: string): void {
  database.run(sql)
  if (fill) drive(database, fill)
  if (!database.inTransaction) throw new Error(`migration ${name} ended the transaction it runs in`)
  database
    .query("INSERT INTO schema_migration (ordinal, name, sha256, applied_at) VALUES (?1, ?2, ?3, ?4)")
    .run(ordinal, name, hashOf(sql), appliedAt)
}

function drive(database: Database, fill: Fill): void {
  const prepared = new Map<string, Statement>()
  const run = ({ sql, values }: FillStatement): unknown[] => {
    if (values === null) {
      database.run(sql)
      return []
    }
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement.all(...values)
  }
  const steps = fill()
  try {
    for (let step = steps.next(); !step.done; ) step = steps.next(run(step.value))
  } finally {
    for (const statement of prepared.values()) statement.finalize()
  }
}

/** Returns the migrations that are not yet applied. Throws {@link SchemaMismatch}: see {@link pendingAfter}. */
export function pendingMigrations(database: Database, known: readonly Migration[] = migrations): Migration[] {
  const table = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get()
  const applied = table
    ? (database.query("SELECT ordinal, name, sha256 FROM schema_migration ORDER BY ordinal").all() as Applied[])
    : []
  return pendingAfter(applied, known, ({ sql }) => sql)
}
