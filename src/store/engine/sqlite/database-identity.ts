/**
 * Identifies the files of the open database. If a file or directory is moved, replaced or restored while the service runs, the service
 * writes to a file that nobody reads, and its sales are lost when the process ends.
 */
import { statSync } from "node:fs"
import type { Log } from "../../../base/log.ts"
import type { Check, Reason } from "../../../base/readiness.ts"

export interface FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
  /** Bytes. A database never shrinks, so a smaller file was overwritten. 0 for a directory and for the write-ahead log, which does. */
  readonly sizeMin: bigint
}

/** Throws when the path does not exist. */
export function fileIdentity(path: string): FileIdentity {
  const { dev, ino } = statSync(path, { bigint: true })
  return { path, device: dev, inode: ino, sizeMin: 0n }
}

/** Same as {@link fileIdentity}, for a file that never shrinks. */
export function grownIdentity(path: string): FileIdentity {
  return { ...fileIdentity(path), sizeMin: statSync(path, { bigint: true }).size }
}

/** The open file keeps its inode, so no other file at the path has the same one. */
export function isInPlace({ path, device, inode, sizeMin }: FileIdentity): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.dev === device && found.ino === inode && found.size >= sizeMin
}

/** The log line names the file, once for each change. */
export function databaseFileCheck(identities: readonly FileIdentity[], log: Log): Check {
  let known: string | null = null
  const reasons = () => {
    const moved = identities.find((identity) => !isInPlace(identity))?.path ?? null
    if (moved !== known && moved !== null) log.error("database_moved", { file: moved })
    known = moved
    return moved === null ? [] : [DATABASE_MOVED]
  }
  return { name: "database file", reasons }
}

const DATABASE_MOVED: Reason = {
  code: "DATABASE_MOVED",
  detail: "The database that is open is not the one at its path any more; the operator must restart the server.",
}
