/**
 * Which rows a purge removes. {@link areFirst} takes the order of an index. Without an index of their ends, {@link areOldest} is for a table
 * whose rows end roughly in the order of their insertion: a row that ends later than those after it holds their removal back until it ends.
 */
import { asc, inArray, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import type { QueryBuilder } from "./engine/unit.ts"

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

export interface FirstRows {
  readonly where: SQL | undefined
  /** Ascending. An index gives this order, else each purge reads all rows that end. */
  readonly order: readonly SQLiteColumn[]
  readonly limit: number | Placeholder
}

/** A condition for at most `limit` rows of those `where` is true for, the first in this order. `key`: the column that names a row. */
export function areFirst(db: Pick<QueryBuilder, "select">, key: SQLiteColumn, { where, order, limit }: FirstRows): SQL {
  return inArray(
    key,
    db
      .select({ key })
      .from(key.table as SQLiteTable)
      .where(where)
      .orderBy(...order.map((column) => asc(column)))
      .limit(limit),
  )
}
