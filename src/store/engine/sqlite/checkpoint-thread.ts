/** Entry point of the thread that moves commits from the write-ahead log to the database file. One path in, one result out. */
import { Database } from "bun:sqlite"

declare const self: Worker

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    // PASSIVE: moves what no reader needs in the log, and waits for nobody.
    database.run("PRAGMA wal_checkpoint(PASSIVE)")
  } finally {
    database.close(true)
  }
  self.postMessage(null)
}
