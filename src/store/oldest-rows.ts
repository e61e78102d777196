/**
 * Purging a table whose rows end roughly in the order of their insertion, without an index of their ends. Only the oldest rows are looked at:
 * a row that ends later than those after it holds their removal back until it ends.
 */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { SQLiteTable } from "drizzle-orm/sqlite-core"

/** The number of the oldest row. Rows are numbered as they are inserted. */
const oldest = (table: SQLiteTable) => sql`(select min(rowid) from ${table})`

/** A condition for the oldest `count` rows. */
export function areOldest(table: SQLiteTable, count: number): SQL {
  return sql`rowid < ${oldest(table)} + ${sql.raw(String(count))}`
}

/** Whether `hasEnded` is true for the oldest row. */
export function hasOldestEnded(table: SQLiteTable, hasEnded: SQLWrapper): SQL<number> {
  return sql<number>`exists (select 1 from ${table} where rowid = ${oldest(table)} and ${hasEnded})`
}
