import { sql } from "drizzle-orm"
import type { Words } from "../words.ts"

export const sqliteWords: Words = {
  // One transaction at a time writes.
  slot: sql`0`,
  each: (array) => sql`json_each(${array})`,
  integer: (at) => sql`value ->> ${at}`,
  text: (at) => sql`value ->> ${at}`,
  bytes: (at) => sql`unhex(value ->> ${at})`,
  wholeText: sql`value`,
  wholeInteger: sql`value`,
  wholeBytes: sql`unhex(value)`,
  jsonText: (column, member) => sql`json_extract(${column}, ${`$.${member}`})`.mapWith(String),
  // Only this unit inserts rows, and numbers only rise.
  lastNumber: (id) => sql`(select max(${id}) from ${id.table})`,
  withoutIndex: (column) => sql`+${column}`,
}
