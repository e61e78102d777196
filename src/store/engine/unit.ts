/**
 * A unit of work is a generator that yields statements and receives rows. SQLite drives it synchronously inside a shared transaction;
 * PostgreSQL can drive the same text with awaits. Inside a unit: no await, no I/O, no crypto, no try around a statement; ON CONFLICT
 * instead of catch. A unit returns refusals as values; an error that it throws is a bug.
 */
import { type SQL, sql } from "drizzle-orm"
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite"
import type * as allTables from "../../../db/tables.ts"
import type { ClockRequest } from "./clock.ts"
import type { Order, OrderRequest } from "./order.ts"
import type { Words } from "./words.ts"

export type Tables = typeof allTables
export type QueryBuilder = Pick<BunSQLiteDatabase, "select" | "insert" | "update" | "delete">
type Value = string | number | null | Uint8Array
export type Values = Readonly<Record<string, Value>>

export interface Prepared<Row> {
  all(values?: Record<string, unknown>): Row[]
}

interface WithText {
  getQuery(): { readonly sql: string }
}

/** The common part of drizzle's builders that return rows: a read, and a write with `.returning(…)`. */
export interface Preparable<Row> {
  prepare(): Prepared<Row> & WithText
}

/** A builder of a write without `.returning(…)`. */
interface PreparableWrite {
  prepare(): WithText
}

/** What a {@link Write} returns in place of rows. */
export interface Changed {
  /** Rows that were inserted, updated or deleted. */
  readonly changed: number
}

/** The text of one statement, independent of the engine. Each engine prepares it once. */
export interface Query<Row> {
  readonly build: (db: QueryBuilder, tables: Tables, words: Words) => Preparable<Row>
  readonly isCounted?: false
}

/** A write whose changed rows are counted. Only {@link changed} runs it: a count is no row. */
export interface Write {
  readonly build: Query<Changed>["build"]
  readonly isCounted: true
}

export interface Statement {
  /** Tells it from an {@link OrderRequest} and a {@link ClockRequest}. */
  readonly order?: undefined
  readonly query: Query<unknown> | Write
  readonly values: Values
}

/** Units of one process that change the same row have one turn. */
export interface Turn {
  readonly turn: string
}

export type Unit<T> = Generator<Statement | OrderRequest | ClockRequest, T, unknown[]>

export interface Store {
  /**
   * Runs a unit that may write. Resolves only after its commit reached the disk. `unit` may run a second time when its shared batch was
   * lost, so it must not change anything outside the database. `hint`: where units run side by side, it saves a second run. An order: the unit
   * needs it. A turn: units with the same one run one after the other.
   */
  run<T>(unit: () => Unit<T>, hint?: Order | Turn): Promise<T>
  /**
   * As {@link run}, for a unit after which money moves. Rejects with StoreUnavailable MOVED, and does not run the unit, if the open database
   * is not the one at its path any more: what it stores would be lost with this process. Looked at inside the transaction.
   */
  runInPlace<T>(unit: () => Unit<T>, hint?: Order | Turn): Promise<T>
  /**
   * Runs a unit that only reads, on one consistent view. Resolves only when all that the view shows is on the disk. A statement that writes
   * is rejected as a bug.
   */
  read<T>(unit: () => Unit<T>): Promise<T>
  /**
   * As {@link read}, on a view shared with all reads requested in this turn of the event loop; it begins after the last request. The unit
   * receives the {@link version} of its view.
   */
  readTogether<T>(unit: (version: number) => Unit<T>): Promise<T>
  /**
   * A number that changes with every commit of any process. While it stays equal, a cached read is valid. Take it before that read. NaN, which
   * equals nothing, while the newest commit is not on the disk. A promise only of an engine that must ask its server: a caller on a path of
   * many requests does not await a number.
   */
  version(): number | Promise<number>
  /** Finishes queued work and rejects later work. */
  close(): Promise<void>
}

export function query<Row>(build: Query<Row>["build"]): Query<Row> {
  return { build }
}

/** A write whose rows nobody reads. RETURNING doubles the time of a write, because SQLite collects the rows in a table in memory. */
export function write(build: (db: QueryBuilder, tables: Tables, words: Words) => PreparableWrite): Write {
  return { ...query(build as Write["build"]), isCounted: true }
}

/** A value bound when the statement runs. */
export const bind = sql.placeholder

/** The same for `.set({…})`, whose type requires an expression. */
export function bound(name: string): SQL {
  return sql`${sql.placeholder(name)}`
}

export function* rows<Row>(statement: Query<Row>, values: Values = {}): Unit<Row[]> {
  return (yield { query: statement, values }) as Row[]
}

export function* first<Row>(statement: Query<Row>, values: Values = {}): Unit<Row | undefined> {
  return ((yield { query: statement, values }) as Row[])[0]
}

/** Runs a {@link write}. Returns the number of rows that it inserted, updated or deleted. */
export function* changed(statement: Write, values: Values = {}): Unit<number> {
  return ((yield { query: statement, values }) as [Changed])[0].changed
}

/** Needs the order: after this step the unit relies on it. */
export function* inOrder(order: Order): Unit<void> {
  yield { order, isNeeded: true }
}

/** Whether the unit holds the order anyway. If it does not, it may leave the work to a unit that does. */
export function* holdsOrder(order: Order): Unit<boolean> {
  return (yield { order, isNeeded: false })[0] === true
}

/** Whether the clock of this process is right enough to say that a lease of another process has ended. True on SQLite: there is one clock. */
export function* isClockRight(): Unit<boolean> {
  return (yield { order: null })[0] === true
}
