import { Database } from "bun:sqlite"

/** Milliseconds that SQLite waits for the write lock of another process. The store waits longer with a timer, so the event loop never stops. */
export const BUSY_TIMEOUT_MS = 50

/** Milliseconds. At start no other work runs, so the process may block while another process starts or migrates. */
export const STARTING_BUSY_TIMEOUT_MS = 5_000

/**
 * KiB. A unit that writes touches a leaf of each of a dozen indexes. With the 2 MB that SQLite has by default, a table of some thousand rows
 * no longer fits, and each unit reads ten pages again.
 */
const PAGE_CACHE_KIB = 16_384

/** Pages. A page that was written often since the last checkpoint is copied once. Twice the default, so that no checkpoint takes long. */
const CHECKPOINT_PAGES = 2_000

/**
 * Opens the database file with the durability that the money path needs: WAL, and an fsync for every commit. Throws if the file system does
 * not support WAL.
 */
export function openDatabase(path: string): Database {
  const database = new Database(path, { create: true, strict: true })
  try {
    // Set busy_timeout first: the switch to WAL may have to wait too.
    database.run(`PRAGMA busy_timeout = ${STARTING_BUSY_TIMEOUT_MS}`)
    const journal = database.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get()
    if (journal?.journal_mode !== "wal") throw new Error("the file system of the database does not support WAL")
    for (const pragma of [
      "synchronous = FULL",
      "foreign_keys = ON",
      `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
      `cache_size = -${PAGE_CACHE_KIB}`,
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

/**
 * Opens an existing database beside other processes. Waits while one of them recovers the log of a killed one, because SQLite then refuses
 * every reader.
 */
export function openBeside(
  path: string,
  access: { readonly: true } | { readwrite: true; create: false } = { readonly: true },
): Database {
  const database = new Database(path, access)
  database.run(`PRAGMA busy_timeout = ${STARTING_BUSY_TIMEOUT_MS}`)
  return database
}
