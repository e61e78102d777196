/**
 * Opens a database to read it without any change beside it. A usual read-only connection to a database in WAL mode creates two files and
 * leaves them.
 */
import { constants, Database } from "bun:sqlite"
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { openBeside } from "./open.ts"

interface UnchangedDatabase {
  readonly database: Database
  close(): void
}

/**
 * With the files of an open connection beside it, another process writes the database, or one was killed: SQLite coordinates readers in
 * these files. With a write-ahead log alone, a copy is read. Otherwise the file is opened as immutable.
 */
export function openUnchanged(path: string): UnchangedDatabase {
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (!hasLog) return closing(immutable(path))
  if (existsSync(`${path}-shm`)) return closing(openBeside(path))
  const folder = mkdtempSync(join(tmpdir(), "bizauth-read-"))
  const copy = join(folder, "copy.db")
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    copyFileSync(path, copy)
    copyFileSync(`${path}-wal`, `${copy}-wal`)
    return closing(new Database(copy, { readwrite: true, create: false }), remove)
  } catch (error) {
    remove()
    throw error
  }
}

function immutable(path: string): Database {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Database(`${pathToFileURL(path).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

function closing(database: Database, afterwards: () => void = () => {}): UnchangedDatabase {
  return {
    database,
    close: () => {
      database.close(true)
      afterwards()
    },
  }
}
