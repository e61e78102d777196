import type { Database } from "bun:sqlite"
import { rmSync, statSync } from "node:fs"
import { renameDurably } from "../../../base/durable-file.ts"
import type { LongWork } from "../../../base/long-work.ts"
import { copyInto } from "./copy-into.ts"

/** Copies the database before the migration `ordinal`. A copy that a crash interrupted never has the final name, which this returns. */
export function copyBefore(database: Database, ordinal: number, work: LongWork): string {
  const path = database.filename
  const copy = `${path}.before-${String(ordinal).padStart(4, "0")}`
  const partial = `${copy}.partial-${process.pid}`
  rmSync(partial, { force: true })
  const copied = { size: statSync(path).size, grows: partial }
  work.step({ what: "copying the database before the upgrade", number: { at: 1, of: 2 }, ...copied })
  copyInto(database, partial)
  renameDurably(partial, copy)
  return copy
}
