/** Whole tables of a PostgreSQL database: to copy it to another engine, to fill an empty one, and to compare. */
import type { ReservedSQL } from "bun"
import { sequencePending } from "../../log/sequenced-log.ts"
import { DatabaseRefused } from "../store-error.ts"
import {
  BATCH_BYTES,
  BATCH_ROWS,
  bytesOf,
  type Cell,
  type CellKind,
  type CellRow,
  type LockedTables,
  MOVED_TO,
  quoted,
  rowsKept,
  type TableShape,
  type TablesView,
  type TablesWriter,
} from "../tables.ts"
import { createPostgres } from "./create-postgres.ts"
import { openPostgres } from "./open-postgres.ts"
import type { PostgresEngine } from "./postgres-engine.ts"
import { faultOf, MOVED_CODE } from "./postgres-fault.ts"
import { rejectionOf } from "./rejection.ts"

type Statements = Pick<ReservedSQL, "unsafe">

/**
 * A whole table takes longer than the administrator of a server may allow a statement of a service. The driver reads bytes in hexadecimal digits alone.
 */
const WITHOUT_LIMITS =
  "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '5s'; SET LOCAL bytea_output = hex"

/** The triggers of a database that was moved. */
const REFUSAL = `CREATE OR REPLACE FUNCTION database_moved() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN RAISE EXCEPTION 'the database was moved' USING ERRCODE = '${MOVED_CODE}'; END $$`

/** The server reads values of an array in this type. */
const TYPES: Readonly<Record<CellKind, string>> = { INTEGER: "bigint", TEXT: "text", BYTES: "bytea" }

/** Runs `use` on one view while others may write. Rejects with {@link DatabaseRefused} unless the database has the schema of this program. */
export async function readPostgresTables<T>(url: string, use: (view: TablesView) => Promise<T>): Promise<T> {
  const engine = await openPostgres(url)
  await requireSchema(engine)
  return engine.onOwnConnection((connection) =>
    inTransaction(connection, "REPEATABLE READ READ ONLY", () => use(new PostgresView(connection, engine.names.name))),
  )
}

/**
 * Runs `use` on a database that no process serves from, and lets no process write or begin to serve. Capsules that wait for their leaf get it first.
 * Rejects with {@link DatabaseRefused} if a process serves.
 */
export async function lockPostgresTables<T>(url: string, use: (tables: LockedTables) => Promise<T>): Promise<T> {
  const engine = await openPostgres(url)
  await requireSchema(engine)
  return engine.alone(async (connection) => {
    await sequenceAllWaiting(engine)
    const names = await namesOf(connection)
    return inTransaction(connection, "REPEATABLE READ READ WRITE", async () => {
      const view = new LockedPostgres(connection, engine.names.name)
      await view.lock(names)
      return use(view)
    })
  })
}

async function sequenceAllWaiting(engine: PostgresEngine): Promise<void> {
  const { store } = engine
  try {
    while ((await sequencePending(store)) > 0);
  } finally {
    await store.close()
  }
}

async function requireSchema(engine: PostgresEngine): Promise<void> {
  const contents = await engine.contents()
  if (contents !== "OWN") throw new DatabaseRefused(`${engine.names.name} has no tables of bizauth`)
  const [next] = await engine.pendingMigrations()
  if (!next) return
  throw new DatabaseRefused(
    `${engine.names.name} needs migration ${next.name}: run bizauth serve of this release once, and stop it`,
  )
}

async function inTransaction<T>(connection: Statements, mode: string, use: () => Promise<T>): Promise<T> {
  await connection.unsafe(`BEGIN ISOLATION LEVEL ${mode}`)
  try {
    await connection.unsafe(WITHOUT_LIMITS).simple()
    const done = await use()
    await connection.unsafe("COMMIT")
    return done
  } catch (error) {
    // If this fails, the connection is lost, and the server undoes the transaction.
    await connection.unsafe("ROLLBACK").catch(() => {})
    throw error
  }
}

async function namesOf(connection: Statements): Promise<readonly string[]> {
  const rows: { name: string }[] = await connection.unsafe(
    "SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace",
  )
  return rows.map(({ name }) => name).toSorted()
}

class PostgresView implements TablesView {
  private cursors = 0

  constructor(
    protected readonly connection: Statements,
    readonly name: string,
  ) {}

  /** The base has the name of the newest migration that it covers. */
  async schema(): Promise<string> {
    const [row] = await this.connection.unsafe("SELECT name FROM schema_migration ORDER BY ordinal DESC LIMIT 1")
    return String(row.name).replace(/^base_/, "")
  }

  async names(): Promise<readonly string[]> {
    return namesOf(this.connection)
  }

  async meta(name: string): Promise<string | null> {
    const [row] = await this.connection.unsafe("SELECT value FROM meta WHERE name = $1", [name])
    return row?.value ?? null
  }

  async count(shape: TableShape): Promise<number> {
    const [row] = await this.connection.unsafe(
      `SELECT count(*)::text AS n FROM ${quoted(shape.name)}${rowsKept(shape)}`,
    )
    return Number(row.n)
  }

  /** The size of a batch follows the bytes of the one before, because the server says nothing about the size of rows. */
  async *batches(shape: TableShape): AsyncGenerator<readonly CellRow[], void> {
    const cursor = `rows_${++this.cursors}`
    await this.connection.unsafe(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${selectOf(shape)}`).simple()
    for (let most = 1; ; ) {
      const rows = (await this.connection.unsafe(`FETCH FORWARD ${most} FROM ${cursor}`).simple().values()) as CellRow[]
      if (rows.length > 0) yield rows
      if (rows.length < most) break
      const bytes = rows.reduce((total, row) => total + bytesOf(row), 0)
      if (bytes > BATCH_BYTES) most = Math.max(1, most / 2)
      else if (bytes * 2 < BATCH_BYTES) most = Math.min(BATCH_ROWS, most * 2)
    }
    await this.connection.unsafe(`CLOSE ${cursor}`).simple()
  }
}

function selectOf(shape: TableShape): string {
  const table = quoted(shape.name)
  const values = shape.columns.map(({ name, kind }, at) => {
    const column = `${table}.${quoted(name)}`
    return `${kind === "INTEGER" ? `${column}::text` : column} AS c${at}`
  })
  const order = shape.order.map((name) => `${table}.${quoted(name)}`)
  return `SELECT ${values.join(", ")} FROM ${table}${rowsKept(shape)} ORDER BY ${order.join(", ")}`
}

class LockedPostgres extends PostgresView implements LockedTables {
  /**
   * Nobody reads `meta`, so no process begins to serve; nobody writes any table. `names`: the tables, read before the transaction. The first statement
   * that reads takes the view of the transaction, so both locks come before it: a writer that a lock waited for has committed then. The triggers of
   * {@link mark} are made before the copy, because the user may lack a right to make them; only `meta` takes one more write.
   */
  async lock(names: readonly string[]): Promise<void> {
    await this.connection.unsafe("LOCK TABLE meta IN ACCESS EXCLUSIVE MODE").simple()
    await this.connection.unsafe(`LOCK TABLE ${names.map(quoted).join(", ")} IN SHARE MODE`).simple()
    if ((await this.names()).join() !== names.join()) throw this.inUse("made or removed tables")
    const [waiting] = await this.connection.unsafe("SELECT 1 FROM log_pending LIMIT 1")
    if (waiting) throw this.inUse("stored a capsule that waits for its leaf in the log")
    await this.connection.unsafe(REFUSAL).simple()
    await this.makeTriggers(names.filter((name) => name !== "meta"))
  }

  private inUse(what: string): DatabaseRefused {
    return new DatabaseRefused(
      `another process ${what} while the move of ${this.name} began: stop it and run this again`,
    )
  }

  /**
   * Makes every table refuse every write from now on, also that of a process that began before the lock and stood still since. Triggers do it, because
   * rights do not bind a superuser, and the owner of the tables may be a group of users. The transaction ends with it.
   */
  async mark(name: string, value: string): Promise<void> {
    await putMeta(this.connection, name, value)
    await this.makeTriggers(["meta"])
    await this.connection.unsafe("COMMIT")
    // A commit that follows ends a transaction of its own.
    await this.connection.unsafe("BEGIN READ ONLY")
  }

  private async makeTriggers(tables: readonly string[]): Promise<void> {
    for (const table of tables) {
      await this.connection
        .unsafe(
          `CREATE OR REPLACE TRIGGER database_moved BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON ${quoted(table)}
             FOR EACH STATEMENT EXECUTE FUNCTION database_moved()`,
        )
        .simple()
    }
  }
}

async function putMeta(connection: Statements, name: string, value: string): Promise<void> {
  await connection.unsafe(
    "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [name, value],
  )
}

/** Gives an empty database the whole schema, and `fill` fills it in one transaction. Rejects with {@link DatabaseRefused} unless it is empty. */
export async function fillPostgresTables(
  url: string,
  createdAt: string,
  fill: (tables: TablesWriter) => Promise<void>,
): Promise<void> {
  const { store } = await createPostgres(url, createdAt)
  await store.close()
  const engine = await openPostgres(url)
  await engine.alone(async (connection) => {
    await inTransaction(connection, "READ COMMITTED READ WRITE", () => fill(new PostgresWriter(connection)))
    // Without statistics the first sales would have poor plans.
    await connection.unsafe("SET statement_timeout = 0").simple()
    await connection.unsafe("ANALYZE").simple()
  })
}

/** Rejects with {@link DatabaseRefused} unless the database is empty. */
export async function requireEmptyPostgres(url: string): Promise<string> {
  const engine = await openPostgres(url)
  if ((await engine.contents()) === "EMPTY") return engine.names.name
  const why = (await engine.metaBefore(MOVED_TO)) === null ? "" : ": a move of a database left it"
  throw new DatabaseRefused(
    `${engine.names.name} is not empty${why}. Nothing was changed; name an empty database, or drop this one and create it again`,
  )
}

class PostgresWriter implements TablesWriter {
  constructor(private readonly connection: Statements) {}

  async clear(shapes: readonly TableShape[]): Promise<void> {
    for (const { name } of shapes.toReversed()) await this.connection.unsafe(`DELETE FROM ${quoted(name)}`).simple()
  }

  /** One statement for any number of rows: each column travels as an array. */
  async insert({ name, columns }: TableShape, rows: readonly CellRow[]): Promise<void> {
    const names = columns.map((column) => quoted(column.name)).join(", ")
    const arrays = columns.map(({ kind }, at) => `$${at + 1}::${TYPES[kind]}[]`).join(", ")
    const values = columns.map((_, at) => arrayOf(rows.map((row) => row[at] ?? null)))
    try {
      await this.connection.unsafe(`INSERT INTO ${quoted(name)} (${names}) SELECT * FROM unnest(${arrays})`, values)
    } catch (error) {
      // The driver's text may quote a row.
      throw rejectionOf(faultOf(error))
    }
  }

  async finish(shapes: readonly TableShape[], { name, value }: { name: string; value: string }): Promise<void> {
    for (const shape of shapes) await this.setNextNumber(shape)
    await putMeta(this.connection, name, value)
  }

  /** The next row gets the number after the largest one, as in SQLite. */
  private async setNextNumber({ name, number }: TableShape): Promise<void> {
    if (number === null) return
    const column = quoted(number)
    await this.connection
      .unsafe(
        `SELECT setval(sequence, greatest(last, 1), last IS NOT NULL)
           FROM (SELECT pg_get_serial_sequence('${quoted(name)}', '${number}') AS sequence,
             (SELECT max(${column}) FROM ${quoted(name)}) AS last) AS found WHERE sequence IS NOT NULL`,
      )
      .simple()
  }
}

/** The text of an array, as the server reads it. */
function arrayOf(cells: readonly Cell[]): string {
  return `{${cells.map(elementOf).join(",")}}`
}

function elementOf(cell: Cell): string {
  if (cell === null) return "NULL"
  if (typeof cell === "string") return `"${cell.replace(/["\\]/g, "\\$&")}"`
  return `"\\\\x${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString("hex")}"`
}

/** A value of `meta`, whatever the schema; null also without that table. */
export async function postgresMeta(url: string, name: string): Promise<string | null> {
  return (await openPostgres(url)).metaBefore(name)
}

/** Changes `meta` of a filled database in one transaction. */
export async function putPostgresInUse(
  url: string,
  { removed, name, value }: { readonly removed: string; readonly name: string; readonly value: string },
): Promise<void> {
  const engine = await openPostgres(url)
  await engine.alone((connection) =>
    inTransaction(connection, "READ COMMITTED READ WRITE", async () => {
      await connection.unsafe("DELETE FROM meta WHERE name = $1", [removed])
      await putMeta(connection, name, value)
    }),
  )
}
