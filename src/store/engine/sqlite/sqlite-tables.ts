/** Whole tables of an SQLite file: to copy it to another engine, to fill a new file, and to compare. */
import { Database, type Statement } from "bun:sqlite"
import { existsSync } from "node:fs"
import { pendingMigrations } from "../../../../db/migrate.ts"
import { openBeside } from "../../../../db/open.ts"
import { openUnchanged } from "../../../../db/open-unchanged.ts"
import { schemaImage } from "../../../../db/schema-image.ts"
import { renameDurably, syncFile } from "../../../base/durable-file.ts"
import { DatabaseRefused, StoreUnavailable } from "../store-error.ts"
import {
  BATCH_BYTES,
  BATCH_ROWS,
  bytesOf,
  type Cell,
  type CellKind,
  type CellRow,
  type LockedTables,
  quoted,
  rowsKept,
  type TableColumn,
  type TableShape,
  type TablesView,
  type TablesWriter,
  UnmovableText,
} from "../tables.ts"
import { createSqlite } from "./create-sqlite.ts"
import { onFileLater } from "./database-fault.ts"
import { holdersOf } from "./file-holders.ts"
import { classify } from "./sqlite-code.ts"

const KINDS: Readonly<Record<string, CellKind>> = { INTEGER: "INTEGER", TEXT: "TEXT", BLOB: "BYTES" }
/** KiB, for a file that is filled in no order of its indexes. */
const FILLING_CACHE_KIB = 65_536

/** Every table of the schema of this program. */
export function tableShapes(): TableShape[] {
  const database = Database.deserialize(schemaImage(), { strict: true })
  try {
    return namesIn(database).map((name) => shapeOf(database, name))
  } finally {
    database.close()
  }
}

interface ColumnInfo {
  readonly name: string
  readonly type: string
  /** Place in the primary key, from 1; 0 for none. */
  readonly pk: number
}

function shapeOf(database: Database, name: string): TableShape {
  const found = database.query<ColumnInfo, []>(`PRAGMA table_info(${quoted(name)})`).all()
  const columns = found.map((column): TableColumn => {
    const kind = KINDS[column.type]
    if (!kind) throw new Error(`column ${column.name} of ${name} has the type ${column.type}`)
    return { name: column.name, kind }
  })
  const key = found.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  const [first] = key
  const parents = database.query<{ table: string }, []>(`PRAGMA foreign_key_list(${quoted(name)})`).all()
  return {
    name,
    columns: columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    order: first ? key.map((column) => column.name) : ["rowid"],
    number: first && key.length === 1 && first.type === "INTEGER" ? first.name : null,
    refersTo: [...new Set(parents.map(({ table }) => table))],
  }
}

function namesIn(database: Database): string[] {
  const query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
  return database
    .query<{ name: string }, []>(query)
    .all()
    .map(({ name }) => name)
}

/** Runs `use` on one view while others may write. Rejects with {@link DatabaseRefused} unless the file has the schema of this program. */
export async function readSqliteTables<T>(path: string, use: (view: TablesView) => Promise<T>): Promise<T> {
  const database = openBeside(path, { readwrite: true, create: false })
  try {
    requireSchema(database)
    database.run("BEGIN")
    return await use(new SqliteView(database))
  } finally {
    database.close(false)
  }
}

/** Runs `use` on a file that no process has open, and keeps others from opening it. Rejects with {@link DatabaseRefused} if one has it open. */
export async function lockSqliteTables<T>(path: string, use: (tables: LockedTables) => Promise<T>): Promise<T> {
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  try {
    lockFile(database)
    requireSchema(database)
    return await use(new LockedSqlite(database))
  } finally {
    // Without a mark no row has changed. The next start sets the journal mode again.
    if (database.inTransaction) database.run("ROLLBACK")
    database.close(false)
  }
}

/** The end of the write-ahead log needs the file alone. */
function lockFile(database: Database): void {
  try {
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA journal_mode = DELETE")
    database.run("PRAGMA synchronous = EXTRA")
    database.run("BEGIN EXCLUSIVE")
  } catch (error) {
    const failure = classify(error)
    if (!(failure instanceof StoreUnavailable) || failure.reason !== "BUSY") throw error
    const pids = holdersOf([database.filename, `${database.filename}-shm`])
    const who =
      pids.length === 0 ? "another process has" : `process ${pids.join(" and ")} ${pids.length > 1 ? "have" : "has"}`
    throw new DatabaseRefused(`${who} ${database.filename} open: stop the service and every command first`)
  }
}

function requireSchema(database: Database): void {
  const [next] = pendingMigrations(database)
  if (next) {
    throw new DatabaseRefused(
      `${database.filename} needs migration ${next.name}: run bizauth serve of this release once, and stop it`,
    )
  }
}

class SqliteView implements TablesView {
  constructor(protected readonly database: Database) {}

  get name(): string {
    return this.database.filename
  }

  async schema(): Promise<string> {
    const query = "SELECT name FROM schema_migration ORDER BY ordinal DESC LIMIT 1"
    return this.database.query<{ name: string }, []>(query).get()?.name ?? ""
  }

  async names(): Promise<readonly string[]> {
    return namesIn(this.database)
  }

  async meta(name: string): Promise<string | null> {
    return metaIn(this.database, name)
  }

  async count(shape: TableShape): Promise<number> {
    const query = `SELECT count(*) AS n FROM ${quoted(shape.name)}${rowsKept(shape)}`
    return this.database.query<{ n: number }, []>(query).get()?.n ?? 0
  }

  async *batches(shape: TableShape): AsyncGenerator<readonly CellRow[], void> {
    let rows: CellRow[] = []
    let bytes = 0
    for (const found of this.database.query<Readonly<Record<string, Found>>, []>(selectOf(shape)).iterate()) {
      const row = shape.columns.map((column, at) => cellOf(shape, column, found, at))
      rows.push(row)
      bytes += bytesOf(row)
      if (rows.length < BATCH_ROWS && bytes < BATCH_BYTES) continue
      yield rows
      rows = []
      bytes = 0
    }
    if (rows.length > 0) yield rows
  }
}

function metaIn(database: Database, name: string): string | null {
  const query = "SELECT value FROM meta WHERE name = ?1"
  return database.query<{ value: string }, [string]>(query).get(name)?.value ?? null
}

class LockedSqlite extends SqliteView implements LockedTables {
  async mark(name: string, value: string): Promise<void> {
    putMeta(this.database, name, value)
    this.database.run("COMMIT")
  }
}

function putMeta(database: Database, name: string, value: string): void {
  const put = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
  database.query(put).run(name, value)
}

type Found = string | Uint8Array | null

/** Text comes as its bytes, because the driver replaces what is not UTF-8. An integer comes as text, whole. */
function selectOf(shape: TableShape): string {
  const table = quoted(shape.name)
  const values = shape.columns.map(({ name, kind }, at) => {
    const column = `${table}.${quoted(name)}`
    const read = { INTEGER: `CAST(${column} AS TEXT)`, TEXT: `CAST(${column} AS BLOB)`, BYTES: column }[kind]
    return `${read} AS c${at}`
  })
  const order = shape.order.map((name) => `${table}.${quoted(name)}`)
  return `SELECT ${values.join(", ")} FROM ${table}${rowsKept(shape)} ORDER BY ${order.join(", ")}`
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

function cellOf(shape: TableShape, column: TableColumn, found: Readonly<Record<string, Found>>, at: number): Cell {
  const value = found[`c${at}`] ?? null
  if (value === null || typeof value === "string" || column.kind !== "TEXT") return value
  if (value.includes(0)) throw new UnmovableText(shape.name, column.name, placeOf(shape, found), "U+0000")
  try {
    return utf8.decode(value)
  } catch {
    throw new UnmovableText(shape.name, column.name, placeOf(shape, found), "bytes that are not UTF-8")
  }
}

const SHOWN_MAX = 80

/** The key of a row, in characters that every terminal shows. */
function placeOf({ columns, order }: TableShape, found: Readonly<Record<string, Found>>): string {
  const shown = order.map((name) => {
    const value = found[`c${columns.findIndex((column) => column.name === name)}`] ?? null
    const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value)
    return `${name} ${JSON.stringify(text.slice(0, SHOWN_MAX)).replace(/[^\x20-\x7e]/g, "?")}`
  })
  return order[0] === "rowid" ? "no key" : shown.join(", ")
}

/** Makes a whole new file at `path`, which `fill` fills. The file is durable when this resolves; a killed one is of no use. */
export async function fillSqliteTables(
  path: string,
  createdAt: string,
  fill: (tables: TablesWriter) => Promise<void>,
): Promise<void> {
  await createSqlite(path, createdAt).store.close()
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  try {
    await onFileLater("the new database", path, () => fill(new SqliteWriter(database)))
  } finally {
    database.close(false)
  }
  syncFile(path)
}

class SqliteWriter implements TablesWriter {
  private readonly inserts = new Map<string, Statement>()

  constructor(private readonly database: Database) {
    // A file that is not filled to its end is removed, so nothing needs to survive before.
    for (const pragma of [
      "journal_mode = DELETE",
      "synchronous = OFF",
      "foreign_keys = ON",
      `cache_size = -${FILLING_CACHE_KIB}`,
    ]) {
      database.run(`PRAGMA ${pragma}`)
    }
    database.run("BEGIN EXCLUSIVE")
  }

  async clear(shapes: readonly TableShape[]): Promise<void> {
    for (const { name } of shapes.toReversed()) this.database.run(`DELETE FROM ${quoted(name)}`)
  }

  async insert(shape: TableShape, rows: readonly CellRow[]): Promise<void> {
    const statement = this.statementOf(shape)
    for (const row of rows) statement.run(...row.map((cell, at) => boundCell(cell, shape.columns[at]?.kind)))
  }

  async finish(_: readonly TableShape[], { name, value }: { name: string; value: string }): Promise<void> {
    putMeta(this.database, name, value)
    for (const statement of this.inserts.values()) statement.finalize()
    this.database.run("COMMIT")
  }

  private statementOf({ name, columns }: TableShape): Statement {
    const known = this.inserts.get(name)
    if (known) return known
    const names = columns.map((column) => quoted(column.name)).join(", ")
    const places = columns.map((_, at) => `?${at + 1}`).join(", ")
    const statement = this.database.prepare(`INSERT INTO ${quoted(name)} (${names}) VALUES (${places})`)
    this.inserts.set(name, statement)
    return statement
  }
}

function boundCell(cell: Cell, kind: CellKind | undefined): bigint | string | Uint8Array | null {
  return kind === "INTEGER" && typeof cell === "string" ? BigInt(cell) : cell
}

/** What `meta` loses and gets when a filled database comes into use. */
export interface InUse {
  readonly removed: string
  readonly name: string
  readonly value: string
}

/** Changes `meta` of a filled file durably, and gives the file its name. */
export function putSqliteInUse(path: string, to: string, { removed, name, value }: InUse): void {
  const database = new Database(path, { readwrite: true, create: false, strict: true })
  try {
    database.run("PRAGMA synchronous = EXTRA")
    database.run("BEGIN EXCLUSIVE")
    database.query("DELETE FROM meta WHERE name = ?1").run(removed)
    putMeta(database, name, value)
    database.run("COMMIT")
  } finally {
    database.close(false)
  }
  renameDurably(path, to)
}

/** A value of `meta`; null also without that table or without the file. */
export function sqliteMeta(path: string, name: string): string | null {
  if (!existsSync(path)) return null
  const { database, close } = openUnchanged(path)
  try {
    const table = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get()
    return table === null ? null : metaIn(database, name)
  } finally {
    close()
  }
}
