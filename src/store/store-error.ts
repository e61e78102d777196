/** The database could not take or keep the work. Nothing of the unit was written; the caller may try again later. */
export class StoreUnavailable extends Error {
  constructor(
    readonly reason: "BUSY" | "FULL" | "IO",
    options?: ErrorOptions,
  ) {
    super(`database unavailable: ${reason}`, options)
  }
}

/**
 * A COMMIT failed and nobody can say whether it reached the disk, so this is no {@link StoreUnavailable}: "nothing was
 * written" would be a guess. The store takes no further work; the process must end and learn the truth from the file.
 */
export class CommitOutcomeUnknown extends Error {
  constructor(options?: ErrorOptions) {
    super("a commit failed with an unknown outcome", options)
  }
}

/** `close()` was called: what is queued still runs, new work is refused. */
export class StoreClosed extends Error {
  constructor() {
    super("the store is closed")
  }
}

/** Turns SQLite's result codes (sqlite.org/rescode.html) into the refusals a caller can act on; anything else stays a bug. */
export function classify(error: unknown): unknown {
  const code = sqliteCode(error)
  if (code === null) return error
  // SQLITE_PROTOCOL is a race for the WAL's locks that SQLite gave up on.
  if (/^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(code)) return new StoreUnavailable("BUSY", { cause: error })
  if (code.startsWith("SQLITE_FULL")) return new StoreUnavailable("FULL", { cause: error })
  if (/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return new StoreUnavailable("IO", { cause: error })
  return error
}

/** SQLite's code where the file is no database or a damaged one; null for anything else. */
export function damageOf(error: unknown): string | null {
  const code = sqliteCode(error)
  return code !== null && /^SQLITE_(CORRUPT|NOTADB)/.test(code) ? code : null
}

function sqliteCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ("code" in at && typeof at.code === "string" && at.code.startsWith("SQLITE_")) return at.code
  }
  return null
}
