/** What a move compared, kept in the data directory. `database verify` compares with it later, and a move that was interrupted goes on with it. */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile, syncFolder } from "../../base/durable-file.ts"
import { parseInstant } from "../../core/time.ts"
import { DataDirectoryError } from "../data-directory.ts"
import type { TableDigest } from "./table-digests.ts"

export interface MoveReport {
  readonly version: 1
  /** Tells this move from every other one; both databases have it in `meta`. */
  readonly id: string
  /** RFC 3339. */
  readonly moved_at: string
  /** Names of the databases, without any secret. */
  readonly from: string
  readonly to: string
  /** Whether the database is now on a server. */
  readonly to_server: boolean
  /** The newest migration of both. */
  readonly schema: string
  /** The earlier file, under its new name in the data directory; null if a server had the database. */
  readonly kept: string | null
  readonly tables: readonly TableDigest[]
}

const REPORT_NAME = "database-move.json"

export function reportPath(directory: string): string {
  return join(directory, REPORT_NAME)
}

export function writeReport(directory: string, report: MoveReport): void {
  replaceFile(reportPath(directory), `${JSON.stringify(report, null, 2)}\n`)
}

export function removeReport(directory: string): void {
  rmSync(reportPath(directory), { force: true })
  syncFolder(directory)
}

/** Null without a file. Throws {@link DataDirectoryError} for a file that {@link writeReport} did not write. */
export function readReport(path: string): MoveReport | null {
  if (!existsSync(path)) return null
  const report = parsed(readFileSync(path, "utf8"))
  if (report !== null) return report
  throw new DataDirectoryError(`${path} is no report of bizauth database move: name another file, or move it away`)
}

function parsed(text: string): MoveReport | null {
  try {
    const found = JSON.parse(text) as MoveReport
    const isWhole =
      found.version === 1 &&
      [found.id, found.from, found.to, found.schema].every((value) => typeof value === "string") &&
      typeof found.to_server === "boolean" &&
      (found.kept === null || /^[\w.-]+$/.test(found.kept)) &&
      parseInstant(found.moved_at) !== null &&
      found.tables.every(
        ({ table, rows, sha256 }) => typeof table === "string" && rows >= 0 && /^[0-9a-f]{64}$/.test(sha256),
      )
    return isWhole ? found : null
  } catch {
    return null
  }
}
