/**
 * Identifies the files of the open database. If a file or directory is moved, replaced or restored while the service runs, the service
 * writes to a file that nobody reads, and its sales are lost when the process ends.
 */
import { statSync } from "node:fs"
import type { Check, Reason } from "../readiness.ts"

export interface FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

/** Throws when the path does not exist. */
export function fileIdentity(path: string): FileIdentity {
  const { dev, ino } = statSync(path, { bigint: true })
  return { path, device: dev, inode: ino }
}

export function isInPlace({ path, device, inode }: FileIdentity): boolean {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found?.dev === device && found.ino === inode
}

export function databaseFileCheck(identities: readonly FileIdentity[]): Check {
  return { name: "database file", look: () => (identities.every(isInPlace) ? [] : [DATABASE_MOVED]) }
}

const DATABASE_MOVED: Reason = {
  code: "DATABASE_MOVED",
  detail: "The database that is open is not the one at its path any more; the operator must restart the server.",
}
