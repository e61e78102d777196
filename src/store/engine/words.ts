/** What the engines spell differently in the text of a statement. Each engine has its own {@link Words}. */
import type { Placeholder, SQL, SQLWrapper } from "drizzle-orm"
import type { SQLiteColumn } from "drizzle-orm/sqlite-core"

export interface Words {
  /**
   * A number that hardly any other transaction at work has. A count that every sale changes has a row for each slot, and readers add the rows up: one
   * row for all would make the writers wait for each other.
   */
  readonly slot: SQL<number>
  /**
   * The elements of a JSON array that is bound as text, as rows of a table with the one column `value`. For the FROM of a statement; the words
   * below read the current row.
   */
  each(array: Placeholder): SQL
  /** Member `at` of the current element, which is an array. */
  integer(at: number): SQL<number>
  text(at: number): SQL<string>
  /** As {@link integer}; the member is hexadecimal text. */
  bytes(at: number): SQL<Uint8Array>
  /** The current element itself. */
  readonly wholeText: SQL<string>
  readonly wholeInteger: SQL<number>
  /** The current element, which is hexadecimal text. */
  readonly wholeBytes: SQL<Uint8Array>
  /** A member of the JSON object that a column has as text. Null if it has no such member. */
  jsonText(column: SQLWrapper, member: string): SQL<string>
  /** The value of this column in the row that the unit inserted last into its table. The unit has inserted one. */
  lastNumber(id: SQLiteColumn): SQL<number>
  /** The same text, for which no index is used: in a condition or an order whose index would read other rows, or in another order. */
  withoutIndex(column: SQLiteColumn): SQL<string>
}
