/**
 * Tables as rows of plain values, whatever the engine: what a move of a database copies and compares. Unlike units these read and write whole
 * tables, so no running service uses them.
 */

export type CellKind = "INTEGER" | "TEXT" | "BYTES"

/** An integer has its decimal digits, because it may be larger than a safe number. */
export type Cell = string | Uint8Array | null
export type CellRow = readonly Cell[]

export interface TableColumn {
  readonly name: string
  readonly kind: CellKind
}

/** A table that both engines have. */
export interface TableShape {
  readonly name: string
  /** In the order of their names. A row has its values in this order. */
  readonly columns: readonly TableColumn[]
  /** Columns whose order is that of the rows. A table without a primary key has `rowid`, the order of insertion, on both engines. */
  readonly order: readonly string[]
  /** The one column of {@link order}, if it is an integer of the table: a number of the row. */
  readonly number: string | null
  /** Tables that its rows refer to. */
  readonly refersTo: readonly string[]
}

/** A number of bytes that hold one batch of rows, apart from a row that is larger. */
export const BATCH_BYTES = 4 * 1024 * 1024
export const BATCH_ROWS = 1_024

/** Bytes that a row takes at least. */
export function bytesOf(row: CellRow): number {
  let total = 0
  for (const cell of row) total += cell?.length ?? 0
  return total
}

/** One consistent view of all tables. */
export interface TablesView {
  /** Of the database, for the operator. */
  readonly name: string
  /** Name of the newest migration. */
  schema(): Promise<string>
  /** Of every table of the database. */
  names(): Promise<readonly string[]>
  /** A value of the table `meta`. */
  meta(name: string): Promise<string | null>
  /** Rows of a table, without those of {@link RowsLeftOut}. */
  count(shape: TableShape): Promise<number>
  /** Every such row in the order of the table, in batches. Throws {@link UnmovableText}. */
  batches(shape: TableShape): AsyncGenerator<readonly CellRow[], void>
}

/** A view of a database that nobody else uses until the view ends. */
export interface LockedTables extends TablesView {
  /** Stores a value of `meta` durably, as the last thing that is done with the view. */
  mark(name: string, value: string): Promise<void>
}

/** A new database with the whole schema, of which nothing is kept before {@link TablesWriter.finish}. */
export interface TablesWriter {
  /** Removes the rows that migrations made. The last shape first. */
  clear(shapes: readonly TableShape[]): Promise<void>
  insert(shape: TableShape, rows: readonly CellRow[]): Promise<void>
  /** Sets the next numbers of the tables, stores a value of `meta`, and makes everything durable. */
  finish(shapes: readonly TableShape[], mark: { readonly name: string; readonly value: string }): Promise<void>
}

/** Rows of `meta` that only say where the database is. They are neither copied nor counted. */
export const MOVED_TO = "moved_to"
export const MOVED_FROM = "moved_from"

/** A condition that leaves these rows out, for both engines. */
export function rowsKept({ name }: TableShape): string {
  return name === "meta" ? ` WHERE name NOT IN ('${MOVED_TO}', '${MOVED_FROM}')` : ""
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text that not every engine stores. */
export class UnmovableText extends Error {
  constructor(
    readonly table: string,
    column: string,
    /** Key and value of the row. */
    row: string,
    what: "U+0000" | "bytes that are not UTF-8",
  ) {
    super(`the row of the table ${table} with ${row} has ${what} in ${column}, which PostgreSQL does not store`)
  }
}
