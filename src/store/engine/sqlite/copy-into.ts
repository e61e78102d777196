import type { Database } from "bun:sqlite"
import { closeSync, openSync } from "node:fs"
import { onFile } from "./database-fault.ts"

/**
 * Writes one snapshot of an open database to the new file `to`, mode 0600. The file is made first, so that a folder that this user may not
 * write gives the error of the operating system, which names it. Throws DatabaseFault for a copy that does not fit.
 */
export function copyInto(database: Database, to: string): void {
  closeSync(openSync(to, "wx", 0o600))
  onFile("the copy of the database", to, () => database.query("VACUUM INTO ?1").run(to))
}
