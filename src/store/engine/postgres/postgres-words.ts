import { getTableName, sql } from "drizzle-orm"
import type { Words } from "../words.ts"

export const postgresWords: Words = {
  // Each transaction has a server process of its own. Two whose slots are equal wait for each other, or one of them runs again.
  slot: sql`(pg_backend_pid() & 255)`,
  // As text first: Bun sends a string for a parameter of type json as a JSON string.
  each: (array) => sql`json_array_elements(${array}::text::json) as each(value)`,
  integer: (at) => sql`(value ->> ${at})::bigint`,
  text: (at) => sql`value ->> ${at}`,
  bytes: (at) => sql`decode(value ->> ${at}, 'hex')`,
  wholeText: sql`value #>> '{}'`,
  wholeInteger: sql`(value #>> '{}')::bigint`,
  wholeBytes: sql`decode(value #>> '{}', 'hex')`,
  jsonText: (column, member) => sql`${column}::json ->> ${member}`.mapWith(String),
  // Not the highest number: another transaction may have taken a higher one.
  lastNumber: (id) => sql`currval(pg_get_serial_sequence('${sql.raw(getTableName(id.table))}', '${sql.raw(id.name)}'))`,
  withoutIndex: (column) => sql`(${column} || '')`,
}
