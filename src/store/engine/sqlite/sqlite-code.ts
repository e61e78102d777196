/** SQLite's result codes (sqlite.org/rescode.html). */
import { SQLiteError } from "bun:sqlite"
import { StoreUnavailable } from "../store-error.ts"

/**
 * Turns SQLite's result codes into errors on which a caller can act. Any other error stays a bug. `file`: the
 * database that failed.
 */
export function classify(error: unknown, file?: string): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  // SQLITE_PROTOCOL: SQLite gave up on a race for the WAL's locks.
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return new StoreUnavailable("BUSY", { cause: error }, file)
  if (code.startsWith("SQLITE_FULL")) return new StoreUnavailable("FULL", { cause: error }, file)
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return new StoreUnavailable("IO", { cause: error }, file)
  return error
}

/** SQLite's code when the file is not a database or is damaged; null for any other error. */
export function damageOf(error: unknown): string | null {
  const code = sqliteCode(error)
  return code !== null && /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? code : null
}

/** The result code in a chain of causes, such as `SQLITE_FULL`; null for an error of anything else. */
export function sqliteCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string" && at.code.startsWith("SQLITE_")) return at.code
  }
  return null
}

/** The code of an error that SQLite itself threw; null for any other, also for one that it caused. */
export function directCode(error: unknown): string | null {
  return error instanceof SQLiteError ? (error.code ?? null) : null
}
