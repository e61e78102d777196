import { join } from "node:path"

/** One query of src/store, as SQLite prepares it. */
export interface StoreQuery {
  /** File and constant, as `holds.ts insert`. */
  readonly name: string
  readonly sql: string
  /** Names of the values, in the order in which they are bound. */
  readonly placeholders: readonly string[]
}

/** Throws when the store makes a query that is not among them: it would be tested nowhere. */
export function everyQuery(): readonly StoreQuery[] {
  const { success, stdout, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "print-queries.ts")])
  if (!success) throw new Error(stderr.toString())
  return JSON.parse(stdout.toString()) as StoreQuery[]
}
