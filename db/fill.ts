/**
 * What a migration does that its text cannot: a generator of statements, which each engine drives inside the transaction of the migration. It
 * awaits nothing and catches nothing.
 *
 * A statement has SQLite's words; for PostgreSQL it goes through the rules of a migration's text. Parameters are `?1`, `?2`, each of one type.
 * PostgreSQL gives an integer as text, so read one with `Number`.
 */
export interface FillStatement {
  readonly sql: string
  /** Null for a text of several statements, which has no parameters and gives no rows. */
  readonly values: readonly FillValue[] | null
}

type FillValue = string | number | null | Uint8Array

export type FillSteps<T> = Generator<FillStatement, T, unknown[]>

export type Fill = () => FillSteps<void>

/** Runs one statement. Returns its rows, all at once: page through a table that grows. */
export function* fillRows<Row>(sql: string, ...values: readonly FillValue[]): FillSteps<Row[]> {
  return (yield { sql, values }) as Row[]
}

/** Runs a text of several statements. */
export function* fillText(sql: string): FillSteps<void> {
  yield { sql, values: null }
}
