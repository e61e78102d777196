/**
 * How a session keeps every process from migrating the database while it lives, and makes sure that no newer release did so before. It shares the lock
 * first and then reads the newest migration, so none is applied after that. An older schema than this program's is no fault: a restore is recorded in it.
 */
import { migrations } from "../../../../db/migrations.ts"
import { SESSION_LOCK } from "../../../../db/postgres/schema-users.ts"
import { PostgresFault } from "./postgres-fault.ts"

/** Ordinal of the newest migration that this program knows. */
export const NEWEST_KNOWN = migrations.at(-1)?.ordinal ?? 0

/** Whether the session got its share of the lock: it has it until it ends. */
export const SHARE_SCHEMA = `pg_try_advisory_lock_shared(${SESSION_LOCK})`
export const NEWEST_APPLIED = "(select max(ordinal)::text from schema_migration)"

interface Shared {
  /** What the server answered to {@link SHARE_SCHEMA}. */
  readonly isShared: unknown
  /** To {@link NEWEST_APPLIED}, in a later statement. */
  readonly newestApplied: unknown
  readonly newestKnown: number
}

/** Throws {@link PostgresFault} unless the session may use the schema. */
export function requireShare({ isShared, newestApplied, newestKnown }: Shared): void {
  if (isShared !== true) throw new PostgresFault("MIGRATING", "another process migrates the database now")
  if (Number(newestApplied) > newestKnown) {
    throw new PostgresFault("SCHEMA_NEWER", "a newer release migrated the database, which this release cannot use")
  }
}
