/** The row by which a transaction says that it is committed: see `outcomes.ts`. */
import { instantText } from "./measured-clock.ts"

/** Every time of `unit_outcome` is that of the server, because the processes that write and remove rows have clocks of their own. */
export const NOW = instantText("clock_timestamp()")

const noteOf = (id: string) => `insert into unit_outcome (id, committed, at) values (${id}, 1, ${NOW})`

/** Its parameter is the id of the outcome. */
export const NOTE = noteOf("$1")

/** The text of a statement that writes, and inserts the note too. The parameter after its own is the id of the outcome. */
export function withNote(text: string, ownParameters: number): string {
  return `with noted as (${noteOf(`$${ownParameters + 1}`)}) ${text}`
}
