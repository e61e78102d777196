/** SQLite's result codes (sqlite.org/rescode.html). */
import { SQLiteError } from "bun:sqlite"
import { ConstraintBroken, type ConstraintKind, StoreUnavailable } from "../store-error.ts"

/** Turns SQLite's result codes into the errors of all engines. Any other error stays as it is. `file`: the database that failed. */
export function classify(error: unknown, file?: string): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  if (code.startsWith("SQLITE_CONSTRAINT")) return brokenConstraint(error, code)
  // SQLITE_PROTOCOL: SQLite gave up on a race for the WAL's locks.
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return new StoreUnavailable("BUSY", { cause: error }, file)
  if (code.startsWith("SQLITE_FULL")) return new StoreUnavailable("FULL", { cause: error }, file)
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return new StoreUnavailable("IO", { cause: error }, file)
  return error
}

const CONSTRAINTS: Readonly<Record<string, ConstraintKind>> = {
  SQLITE_CONSTRAINT_UNIQUE: "UNIQUE",
  SQLITE_CONSTRAINT_PRIMARYKEY: "UNIQUE",
  SQLITE_CONSTRAINT_ROWID: "UNIQUE",
  SQLITE_CONSTRAINT_NOTNULL: "NOT_NULL",
  SQLITE_CONSTRAINT_CHECK: "CHECK",
  SQLITE_CONSTRAINT_FOREIGNKEY: "REFERENCE",
}

/** The message names table and column for UNIQUE and NOT NULL alone: `UNIQUE constraint failed: agent.agent_id`. */
function brokenConstraint(error: unknown, code: string): unknown {
  const kind = CONSTRAINTS[code]
  if (!(error instanceof Error) || kind === undefined) return error
  const named =
    kind === "UNIQUE" || kind === "NOT_NULL" ? /constraint failed: (\w+)\.\w+/.exec(error.message)?.[1] : null
  return new ConstraintBroken(kind, named ?? null, error)
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
