import { join } from "node:path"

/** One query of src/store. */
export interface StoreQuery {
  /** File and constant, such as `holds.ts insert`. */
  readonly name: string
  /** As SQLite prepares it. */
  readonly sql: string
  /** As PostgreSQL prepares it. */
  readonly postgres: string
  /** The same with the note of the outcome, as the first write of a transaction. Null: it writes nothing. */
  readonly noting: string | null
  /** Names of the values, in binding order. */
  readonly placeholders: readonly string[]
}

/** Throws for a query of the store that is not in the list, because no test would cover it. */
export function everyQuery(): readonly StoreQuery[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "print-queries.ts")])
  if (!success) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as StoreQuery[]
}
