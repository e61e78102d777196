/**
 * The database could not accept or store the work. Nothing of the unit was written; the caller may retry later. LOG_SHORTER: the log of the database
 * lacks leaves that this process saw; no retry helps before a restart. SCHEMA_NEWER: a newer release migrated the database; no retry helps.
 */
export class StoreUnavailable extends Error {
  constructor(
    readonly reason: "BUSY" | "FULL" | "IO" | "MOVED" | "LOG_SHORTER" | "SCHEMA_NEWER",
    options?: ErrorOptions,
    /** The database file, for the operator; absent if no file failed. */
    readonly file?: string,
  ) {
    super(`database unavailable: ${reason}`, options)
  }

  /** For callers: the code that readiness has for this state. */
  get code(): string {
    return this.reason === "SCHEMA_NEWER" ? "MIGRATIONS_UNKNOWN" : `DATABASE_${this.reason}`
  }

  /** For the operator: the end of a sentence. */
  get wayOut(): string {
    return this.reason === "SCHEMA_NEWER"
      ? "a newer release migrated it, and this one stores nothing more in it: run the newer release"
      : "try again"
  }
}

/**
 * A COMMIT failed and it is unknown whether it reached the disk. So this is not {@link StoreUnavailable}, which says that nothing was
 * written. SQLite's store accepts no further work; the process must end and read the outcome from the file. PostgreSQL's store asks the server
 * first, rejects only this unit if the server stays away, and goes on: other units have their own transactions.
 */
export class CommitOutcomeUnknown extends Error {
  constructor(options?: ErrorOptions) {
    super("a commit failed with an unknown outcome", options)
  }
}

/** The database of this place cannot be used as it is. The message is for the operator and has no secret. */
export class DatabaseRefused extends Error {
  constructor(
    message: string,
    readonly reason: "UNREACHABLE" | "STANDBY" | "OTHER" = "OTHER",
  ) {
    super(message)
  }
}

/** The database takes no work now, or did not answer: it fails over, it has too many connections, or its disk is full. */
export function isDatabaseAway(error: unknown): error is Error {
  return error instanceof StoreUnavailable || error instanceof DatabaseRefused || error instanceof CommitOutcomeUnknown
}

/** `close()` was called: queued work still runs, new work is rejected. */
export class StoreClosed extends Error {
  constructor() {
    super("the store is closed")
  }
}

/** A rule of the schema that a statement broke. `REFERENCE`: a foreign key. */
export type ConstraintKind = "UNIQUE" | "NOT_NULL" | "CHECK" | "REFERENCE"

/**
 * A statement broke a constraint: a bug, because a unit says ON CONFLICT where it expects one. Nothing of the unit was written. The message is
 * that of the engine.
 */
export class ConstraintBroken extends Error {
  constructor(
    readonly kind: ConstraintKind,
    /** Null where the engine does not say it: SQLite names no table for CHECK and REFERENCE. */
    readonly table: string | null,
    cause: Error,
  ) {
    super(cause.message, { cause })
  }
}
