/** Which migrations a database still needs, whatever its engine. */
import { hash } from "node:crypto"

export class SchemaMismatch extends Error {}

/** A row of `schema_migration`. */
export interface Applied {
  readonly ordinal: number
  readonly name: string
  readonly sha256: string
}

/** Is called while migrations are applied. */
export interface MigrationWatch {
  /** `count`: how many are applied so far. */
  readonly applied: (count: number) => void
  /**
   * It waits for processes that use the older schema, or change it; called again when they are others. Each in words: host, process and release, or
   * from where it is connected and since when.
   */
  readonly waits: (others: readonly string[]) => void
}

export const UNWATCHED_MIGRATION: MigrationWatch = { applied: () => {}, waits: () => {} }

interface Known {
  readonly ordinal: number
  readonly name: string
}

/**
 * Returns the known migrations that are not in `applied`, which is in the order of the ordinals. Throws {@link SchemaMismatch} unless the
 * applied ones are the first of this binary. A migration that is applied later than its successor would run on a schema that it was not
 * written for. `textOf` gets only applied ones.
 */
export function pendingAfter<T extends Known>(
  applied: readonly Applied[],
  known: readonly T[],
  textOf: (migration: T) => string,
): T[] {
  for (const [position, { ordinal, name, sha256 }] of applied.entries()) {
    if (!known.some((migration) => migration.ordinal === ordinal)) {
      throw new SchemaMismatch(`database has migration ${name}, which this binary does not know`)
    }
    const expected = known[position]
    if (expected?.ordinal !== ordinal) {
      throw new SchemaMismatch(`database has migration ${name} but not ${expected?.name}, which comes before it`)
    }
    if (hashOf(textOf(expected)) !== sha256) {
      throw new SchemaMismatch(`migration ${name} in the database differs from the one in this binary`)
    }
  }
  return known.slice(applied.length)
}

export function hashOf(text: string): string {
  return hash("sha256", text, "hex")
}
