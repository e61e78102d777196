/** The database could not accept or store the work. Nothing of the unit was written; the caller may retry later. */
export class StoreUnavailable extends Error {
  constructor(
    readonly reason: "BUSY" | "FULL" | "IO" | "MOVED",
    options?: ErrorOptions,
    /** The database file, for the operator; absent if no file failed. */
    readonly file?: string,
  ) {
    super(`database unavailable: ${reason}`, options)
  }
}

/**
 * A COMMIT failed and it is unknown whether it reached the disk. So this is not {@link StoreUnavailable}, which says that nothing was
 * written. The store accepts no further work; the process must end and read the outcome from the file.
 */
export class CommitOutcomeUnknown extends Error {
  constructor(options?: ErrorOptions) {
    super("a commit failed with an unknown outcome", options)
  }
}

/** `close()` was called: queued work still runs, new work is rejected. */
export class StoreClosed extends Error {
  constructor() {
    super("the store is closed")
  }
}

/**
 * Turns SQLite's result codes (sqlite.org/rescode.html) into errors on which a caller can act. Any other error stays a bug. `file`: the
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
