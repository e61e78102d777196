/** The least that a durable record costs: one row by its key, on the disk before the response, one commit for all rows of a turn. */
import { randomBytes } from "node:crypto"
import { openDatabase } from "../../db/open.ts"

interface RawRows {
  /** Resolves when the row is on the disk. */
  insert(): Promise<void>
}

/** `path`: a new database file with the settings of the service. */
export function openRawRows(path: string): RawRows {
  const database = openDatabase(path)
  database.run("CREATE TABLE raw_row (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID")
  const [begin, insert, commit] = ["BEGIN IMMEDIATE", "INSERT INTO raw_row VALUES (?1)", "COMMIT"].map((sql) =>
    database.prepare<unknown, Uint8Array[]>(sql),
  )
  let waiting: (() => void)[] = []
  const flush = () => {
    const told = waiting
    waiting = []
    begin?.run()
    for (const _ of told) insert?.run(randomBytes(32))
    commit?.run()
    for (const tell of told) tell()
  }
  return {
    insert: () =>
      new Promise((resolve) => {
        waiting.push(resolve)
        if (waiting.length === 1) setImmediate(flush)
      }),
  }
}
