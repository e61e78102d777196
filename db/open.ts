import { Database } from "bun:sqlite"

/** SQLite waits this long for another process's write lock; longer waits are a timer in the store, never a stopped event loop. */
export const BUSY_TIMEOUT_MS = 50

/** While the process starts nothing else runs, so it may stand still for another one that starts or migrates. */
export const STARTING_BUSY_TIMEOUT_MS = 5_000

/**
 * Opens the one database file with the durability the money path needs: WAL, and an fsync for every commit. Throws when the
 * file system cannot do WAL.
 */
export function openDatabase(path: string): Database {
  const database = new Database(path, { create: true, strict: true })
  try {
    // busy_timeout first: switching to WAL can itself be busy.
    database.run(`PRAGMA busy_timeout = ${STARTING_BUSY_TIMEOUT_MS}`)
    const journal = database.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get()
    if (journal?.journal_mode !== "wal") throw new Error("the file system of the database does not support WAL")
    for (const pragma of [
      "synchronous = FULL",
      "foreign_keys = ON",
      "wal_autocheckpoint = 1000",
      "journal_size_limit = 67108864",
      `busy_timeout = ${BUSY_TIMEOUT_MS}`,
    ]) {
      database.run(`PRAGMA ${pragma}`)
    }
    return database
  } catch (error) {
    database.close(false)
    throw error
  }
}
