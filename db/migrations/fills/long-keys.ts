/**
 * Replaces each long key of an older database by its digest. The computation stays as it was when the migration was released: later changes of the
 * product do not change it.
 */
import { hash } from "node:crypto"
import { type FillSteps, fillRows } from "../../fill.ts"

const BYTES_MAX = 1_024
/** No text of fewer characters has more bytes. */
const CHARACTERS_MAX = BYTES_MAX / 4
/** So many rows are in memory together. */
const ROWS_AT_ONCE = 200

interface Keyed {
  readonly id: string
  readonly key: string
}

interface Held {
  readonly organization_id: string
  readonly kind: string
  readonly value: string
}

export function* fillLongKeys(): FillSteps<void> {
  for (const table of ["answer_record", "authorization_record"] as const) yield* shortenObligations(table)
  yield* shortenHolds()
  yield* shortenSubjects()
}

const isLong = (text: string) => Buffer.byteLength(text) > BYTES_MAX
const short = (text: string) => (isLong(text) ? ` sha256:${hash("sha256", text, "hex")}` : text)

function* shortenObligations(table: "answer_record" | "authorization_record"): FillSteps<void> {
  const read = `SELECT request_id AS id, obligation_key AS key FROM ${table}
    WHERE length(obligation_key) > ${CHARACTERS_MAX} AND request_id > ?1 ORDER BY request_id LIMIT ${ROWS_AT_ONCE}`
  const write = `UPDATE ${table} SET obligation_key = ?2, whole_obligation_key = ?3 WHERE request_id = ?1`
  yield* eachLong(read, (id, key) => fillRows(write, id, short(key), key))
}

function* shortenSubjects(): FillSteps<void> {
  const read = `SELECT request_id AS id, subject AS key FROM redelivery
    WHERE length(subject) > ${CHARACTERS_MAX} AND request_id > ?1 ORDER BY request_id LIMIT ${ROWS_AT_ONCE}`
  yield* eachLong(read, (id, key) =>
    fillRows("UPDATE redelivery SET subject = ?2 WHERE request_id = ?1", id, short(key)),
  )
}

/** Calls `write` for each long key of a table, a page at a time. */
function* eachLong(read: string, write: (id: string, key: string) => FillSteps<unknown>): FillSteps<void> {
  for (let after = ""; ; ) {
    const found: readonly Keyed[] = yield* fillRows<Keyed>(read, after)
    for (const { id, key } of found) if (isLong(key)) yield* write(id, key)
    after = found.at(-1)?.id ?? after
    if (found.length < ROWS_AT_ONCE) return
  }
}

/** No two holds become one, because their digests differ. */
function* shortenHolds(): FillSteps<void> {
  const found = yield* fillRows<Held>(
    `SELECT organization_id, kind, value FROM authority_hold WHERE length(value) > ${CHARACTERS_MAX}`,
  )
  for (const { organization_id, kind, value } of found) {
    const shorter = kind === "SUPPLIER" ? shortSupplier(value) : short(value)
    if (shorter === value) continue
    yield* fillRows(
      "UPDATE authority_hold SET value = ?4 WHERE organization_id = ?1 AND kind = ?2 AND value = ?3",
      ...[organization_id, kind, value, shorter],
    )
  }
}

/** Such a hold begins with a line of JSON, which names the supplier. */
function shortSupplier(value: string): string {
  const end = value.indexOf("\n")
  return `${JSON.stringify(short(JSON.parse(value.slice(0, end))))}${value.slice(end)}`
}
