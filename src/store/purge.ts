/**
 * Purges: a statement removes some rows of a table that have ended. Only a loop runs them: in units that serve requests they would make callers
 * of different rows change the same ones. So a statement that counts rows leaves out those that have ended. {@link purgeOf} takes the order of an
 * index. Without an index of their ends, {@link areOldest} is for a table whose rows end roughly in the order of their insertion: rows that end
 * later than those after them delay their removal if there are as many as one purge reads.
 */
import { asc, inArray, type Placeholder, type SQL, type SQLWrapper, sql } from "drizzle-orm"
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core"
import { type QueryBuilder, type Tables, type Write, write } from "./engine/unit.ts"

/** Ended rows that one purge removes: more than one, so that purging keeps up; few, so that the lock stays short. */
export const PURGED_AT_ONCE = 64

/** A condition for the oldest {@link PURGED_AT_ONCE} rows. `number`: the column with the numbers of the rows, in which there may be gaps. */
export function areOldest(table: SQLiteTable, number: SQLWrapper): SQL {
  return sql`${number} in (select ${number} from ${table} order by ${number} limit ${sql.raw(String(PURGED_AT_ONCE))})`
}

interface FirstRows {
  /** The columns that name a row. */
  readonly key: readonly [SQLiteColumn, ...SQLiteColumn[]]
  readonly where: SQL | undefined
  /** Ascending. An index gives this order, else each purge reads all rows that end. */
  readonly order: readonly SQLiteColumn[]
  /** Default: {@link PURGED_AT_ONCE}. */
  readonly limit?: number | Placeholder
}

/** A condition for at most `limit` rows that `where` is true for, the first in this order. */
export function areFirst(
  db: Pick<QueryBuilder, "select">,
  { key, where, order, limit = PURGED_AT_ONCE }: FirstRows,
): SQL {
  const [first] = key
  const rows = db
    .select(Object.fromEntries(key.map((column) => [column.name, column])))
    .from(first.table)
    .where(where)
    .orderBy(...order.map((column) => asc(column)))
    .limit(limit)
  const name = key.length === 1 ? sql`${first}` : sql`(${sql.join([...key], sql`, `)})`
  return inArray(name, rows)
}

/** The statement that removes the first {@link PURGED_AT_ONCE} of these rows. `changed` runs it and returns how many it removed. */
export function purgeOf(ended: (tables: Tables) => FirstRows): Write {
  return write((db, tables) => {
    const rows = ended(tables)
    return db.delete(rows.key[0].table).where(areFirst(db, rows))
  })
}
