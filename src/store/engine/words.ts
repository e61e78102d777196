/** What the engines spell differently in the text of a statement. Each engine has its own {@link Words}. */
import type { SQL, SQLWrapper } from "drizzle-orm"

export interface Words {
  /**
   * A number that no other transaction at work has. A count that every sale changes has a row for each slot, and readers add the rows up: one
   * row for all would make the writers wait for each other.
   */
  readonly slot: SQL<number>
  /**
   * The elements of a JSON array that is bound as text, as rows of a table with the one column `value`. For the FROM of a statement; the words
   * below read the current row.
   */
  each(array: SQLWrapper): SQL
  /** Member `at` of the current element, which is an array. */
  integer(at: number): SQL<number>
  /** As {@link integer}. */
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
  /** The number that the table gave to the row that this unit inserted last. The unit has inserted one. */
  lastNumber(table: SQLWrapper): SQL<number>
}
