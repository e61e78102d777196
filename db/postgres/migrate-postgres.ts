/**
 * Makes and migrates a PostgreSQL database: the base text first, then each later migration in a transaction of its own. It works in the first
 * schema of the connection's search path.
 */
import type { ReservedSQL } from "bun"
import { type Applied, hashOf, pendingAfter, SchemaMismatch, UNWATCHED_MIGRATION } from "../applied-migrations.ts"
import type { FillStatement, FillSteps } from "../fill.ts"
import { type Migration, migrations } from "../migrations.ts"
import { type PostgresBase, postgresBase } from "./base.ts"
import { forPostgres, forPostgresWithValues } from "./rules.ts"
import { livingInstances, lockHolders, SCHEMA_LOCK, SESSION_LOCK, sessionHolders } from "./schema-users.ts"

/** One connection, which no other code uses meanwhile. */
type MigratingConnection = Pick<ReservedSQL, "unsafe">

/** What this binary knows. A test gives its own. */
interface PostgresSchema {
  readonly base: PostgresBase
  /** From the first one of SQLite; those that the base covers do not run. */
  readonly migrations: readonly Migration[]
}

const OURS: PostgresSchema = { base: postgresBase, migrations }

interface Step extends Pick<Migration, "ordinal" | "name" | "fill"> {
  /** Several statements. */
  readonly text: string
}

/** How long a start waits before it looks again whether somebody uses the older schema, in seconds. */
const WAIT_SECONDS = 0.25
/** So often {@link takeSchema} looks again: the server may need two seconds to end the connection of a process that is gone. */
const LOOKS_AGAIN = 8

/**
 * Returns the names applied now, oldest first; the base of an empty database has the name `base_` and its newest migration. `appliedAt` is an
 * RFC 3339 instant. Throws {@link SchemaMismatch}. If a migration fails, those before it stay. With something to apply, it waits until no
 * process serves: none is in {@link useSchema}, and the row of none is young. It waits for every session of a store too, also for one whose process has
 * lost its lock, and until another process has migrated.
 */
export async function migratePostgres(
  connection: MigratingConnection,
  appliedAt: string,
  known: PostgresSchema = OURS,
  watch = UNWATCHED_MIGRATION,
): Promise<string[]> {
  const names: string[] = []
  let waitedFor = ""
  let sessionsBefore = ""
  while ((await pendingSteps(connection, known)).length > 0) {
    const { name, use } = await applyNext(connection, appliedAt, known)
    if (name !== null) {
      names.push(name)
      watch.applied(names.length)
    }
    if (use === null) continue
    const sessions = use.sessions.join()
    // The server ends the sessions of a process that has just ended: only those that last are named.
    const users = use.users.length === 0 && sessions === sessionsBefore ? use.sessions : use.users
    sessionsBefore = sessions
    if (users.length > 0 && users.join() !== waitedFor) watch.waits(users)
    waitedFor = users.join()
    await connection.unsafe(`SELECT pg_sleep(${WAIT_SECONDS})`)
  }
  return names
}

/**
 * Keeps every process from changing the schema until the connection ends. A process that serves has one such connection. Returns false, and keeps
 * nothing, while another process changes the schema.
 */
export async function useSchema(connection: MigratingConnection): Promise<boolean> {
  const [{ free }] = await connection.unsafe(`SELECT pg_try_advisory_lock_shared(${SCHEMA_LOCK}) AS free`)
  return free
}

/**
 * Keeps every process from {@link useSchema} and from changing the schema until the connection ends. Returns null, or says who uses the schema now;
 * then nothing is kept. A process whose row is young uses it too: it may have lost the connection with its lock, and sell on another one.
 */
export async function takeSchema(connection: MigratingConnection): Promise<readonly string[] | null> {
  for (let left = LOOKS_AGAIN; ; left--) {
    const [{ free }] = await connection.unsafe(`SELECT pg_try_advisory_lock(${SCHEMA_LOCK}) AS free`)
    const users = await schemaUsers(connection, free)
    if (free && users !== null) await connection.unsafe(`SELECT pg_advisory_unlock(${SCHEMA_LOCK})`)
    if (free || left === 0) return users
    await connection.unsafe(`SELECT pg_sleep(${WAIT_SECONDS})`)
  }
}

/** As {@link migratePostgres}, without any change: those that are not applied yet, oldest first. */
export async function pendingPostgresMigrations(
  connection: MigratingConnection,
  known: PostgresSchema = OURS,
): Promise<Pick<Migration, "ordinal" | "name">[]> {
  return (await pendingSteps(connection, known)).map(({ ordinal, name }) => ({ ordinal, name }))
}

/** `FOREIGN`: the schema has tables, but no release of this program made them. */
export async function postgresContents(connection: MigratingConnection): Promise<"OWN" | "FOREIGN" | "EMPTY"> {
  if (await hasTable(connection)) return "OWN"
  const rows = await connection.unsafe(
    "SELECT 1 FROM pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND relnamespace = current_schema()::regnamespace LIMIT 1",
  )
  return rows.length > 0 ? "FOREIGN" : "EMPTY"
}

interface Round {
  /** What was applied. */
  readonly name: string | null
  /** Of the older schema, so that nothing was applied. Null: there was none. */
  readonly use: SchemaUse | null
}

interface SchemaUse {
  /** Processes that serve. Empty if none does, or the last of them has just ended. */
  readonly users: readonly string[]
  /** Places of the sessions that stores have although no process serves. */
  readonly sessions: readonly string[]
}

async function applyNext(connection: MigratingConnection, appliedAt: string, known: PostgresSchema): Promise<Round> {
  // READ COMMITTED, so that this transaction sees what another process applied while this one waited for the lock.
  await connection.unsafe("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
  try {
    // A long statement, a long wait or a long computation of a fill is no fault here.
    await connection
      .unsafe(
        "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
      )
      .simple()
    const use = await lockSchema(connection)
    if (use !== null) {
      await connection.unsafe("ROLLBACK")
      return { name: null, use }
    }
    if (await hasTable(connection)) await connection.unsafe("LOCK TABLE schema_migration IN EXCLUSIVE MODE")
    const [next] = await pendingSteps(connection, known)
    if (next) await apply(connection, next, appliedAt)
    await connection.unsafe("COMMIT")
    return { name: next?.name ?? null, use }
  } catch (error) {
    // If the ROLLBACK fails, the connection is lost, and the server undoes the transaction.
    await connection.unsafe("ROLLBACK").catch(() => {})
    throw error
  }
}

/**
 * Takes both locks until the end of the transaction, unless somebody uses the schema. Returns who does, or null: each process by its row, and the
 * places of connections when there are more of them than rows. A start does not wait in the queue of a lock: it would keep away a process that lost its
 * connection and serves on.
 */
async function lockSchema(connection: MigratingConnection): Promise<SchemaUse | null> {
  const users = await schemaUsers(connection, await tryLock(connection, SCHEMA_LOCK))
  if (users !== null) return { users, sessions: [] }
  if (await tryLock(connection, SESSION_LOCK)) return null
  return { users: [], sessions: await sessionHolders(connection) }
}

async function tryLock(connection: MigratingConnection, lock: number): Promise<boolean> {
  const [{ free }] = await connection.unsafe(`SELECT pg_try_advisory_xact_lock(${lock}) AS free`)
  return free
}

/** Null: nobody. `isFree`: nobody else has the lock. */
async function schemaUsers(connection: MigratingConnection, isFree: boolean): Promise<readonly string[] | null> {
  const living = await livingInstances(connection)
  if (isFree) return living.length > 0 ? living : null
  const holders = await lockHolders(connection)
  return holders.length > living.length ? [...living, ...holders] : living
}

async function apply(connection: MigratingConnection, step: Step, appliedAt: string): Promise<void> {
  const { ordinal, name, text, fill } = step
  const transaction = await transactionId(connection)
  await connection.unsafe(text).simple()
  if (fill) await drive(connection, fill())
  if ((await transactionId(connection)) !== transaction) {
    throw new Error(`migration ${name} ended the transaction it runs in`)
  }
  await connection.unsafe("INSERT INTO schema_migration (ordinal, name, sha256, applied_at) VALUES ($1, $2, $3, $4)", [
    String(ordinal),
    name,
    hashOf(text),
    appliedAt,
  ])
}

async function transactionId(connection: MigratingConnection): Promise<string> {
  const [row] = (await connection.unsafe("SELECT pg_current_xact_id()::text AS id")) as { id: string }[]
  return row?.id ?? ""
}

async function drive(connection: MigratingConnection, fill: FillSteps<void>): Promise<void> {
  let step = fill.next()
  while (!step.done) step = fill.next(await runStep(connection, step.value))
}

async function runStep(connection: MigratingConnection, { sql, values }: FillStatement): Promise<unknown[]> {
  if (values === null) {
    await connection.unsafe(forPostgres(sql)).simple()
    return []
  }
  // Bun would declare 1.5 as an integer, so numbers go as text.
  const bound = values.map((value) => (typeof value === "number" ? String(value) : value))
  return connection.unsafe(forPostgresWithValues(sql), bound)
}

async function hasTable(connection: MigratingConnection): Promise<boolean> {
  const rows = await connection.unsafe(
    "SELECT 1 FROM pg_class WHERE relname = 'schema_migration' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace",
  )
  return rows.length > 0
}

async function pendingSteps(connection: MigratingConnection, known: PostgresSchema): Promise<Step[]> {
  const rows: { ordinal: string; name: string; sha256: string }[] = (await hasTable(connection))
    ? await connection.unsafe(
        "SELECT ordinal::text AS ordinal, name, sha256 FROM schema_migration ORDER BY schema_migration.ordinal",
      )
    : []
  const applied = rows.map((row) => ({ ...row, ordinal: Number(row.ordinal) }))
  const steps = stepsOf(known)
  requireBase(applied[0], steps[0])
  return pendingAfter(applied, steps, ({ text }) => text)
}

function stepsOf({ base, migrations: all }: PostgresSchema): Step[] {
  const later = all.filter(({ ordinal }) => ordinal > base.ordinal)
  return [
    { ordinal: base.ordinal, name: `base_${base.name}`, text: base.sql },
    ...later.map((migration) => ({ ...migration, text: migration.postgres ?? forPostgres(migration.sql) })),
  ]
}

function requireBase(found: Applied | undefined, own: Step | undefined): void {
  if (!found || !own) return
  if (found.ordinal !== own.ordinal || found.sha256 !== hashOf(own.text)) {
    const digests = `${found.sha256.slice(0, 12)} instead of ${hashOf(own.text).slice(0, 12)}`
    throw new SchemaMismatch(
      `database begins with ${found.name}, which differs from ${own.name} of this binary: ${digests}`,
    )
  }
}
