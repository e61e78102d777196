/**
 * Expressions that mean the same on every engine. What a query selects has a declared type: a driver returns an integer as a number, as a bigint
 * or as digits, and a column has its type, but an expression has none of its own.
 */
import { type SQL, sql } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"

/** A table expression with one row, for a query that selects only expressions. */
export const ONE_ROW = sql`(select 1) as one_row`

/** The condition as 1 or 0. Engines return a condition itself as different things. */
export function isTrue(condition: SQL): SQL<number> {
  return sql`case when ${condition} then 1 else 0 end`.mapWith(safeInteger)
}

/** The sum of a column of integers over at least one row. */
export function sumOf(column: SQLiteColumn): SQL<number> {
  return sql`sum(${column})`.mapWith(safeInteger)
}

export function textOrNull(expression: SQL): SQL<string | null> {
  return expression.mapWith(String)
}

export function bytesOrNull(expression: SQL): SQL<Uint8Array | null> {
  return expression.mapWith((bytes: Uint8Array) => bytes)
}

/** The integer that a driver returned. Throws a RangeError for one that a number does not hold exactly. */
export function safeInteger(value: unknown): number {
  const number = typeof value === "number" ? value : Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError("the database holds an integer beyond 2^53")
  return number
}
