/**
 * Which files the open database is. A file or directory that was moved, replaced or restored under a running service leaves it writing
 * where nobody looks: what it sells then is lost with the process.
 */
import { statSync } from "node:fs"
import type { Check, Reason } from "../readiness.ts"

export interface FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly inode: bigint
}

/** Throws where there is nothing at the path. */
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
