/** What other users of the machine may do with the files of a data directory. */
import { chmodSync, readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import type { DataPaths } from "./data-directory.ts"

const OTHERS_CHANGE = 0o022
const OTHERS = 0o077

export type ClosedFiles =
  /** One notice for each path that has been closed. */
  { readonly fault: null; readonly notices: readonly string[] } | { readonly fault: string }

/**
 * Closes what other users may read: the file is this service's own, and who reads it learns of every buyer. What they may change is
 * refused and left so: nobody can say what was changed already. Key files have a stricter rule of their own. Without `change` nothing is
 * closed and the notices say what is open.
 */
export function closeFiles(
  { directory, database, keys, snapshots }: DataPaths,
  options: { change: boolean },
): ClosedFiles {
  const name = basename(database)
  const databases = readdirSync(directory).filter((file) => file.startsWith(name))
  const wanted: readonly (readonly [path: string, mode: number])[] = [
    ...[directory, keys, snapshots].map((path) => [path, 0o700] as const),
    // The database, what SQLite keeps beside it, and copies made before migrations.
    ...databases.map((file) => [join(directory, file), 0o600] as const),
  ]
  const notices: string[] = []
  for (const [path, mode] of wanted) {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || (found.mode & OTHERS) === 0) continue
    const was = modeText(found.mode)
    const wayOut = `chmod ${mode.toString(8)} ${path}`
    if ((found.mode & OTHERS_CHANGE) !== 0) {
      return { fault: `${path} can be changed by other users (mode ${was}); see who did, then fix it with: ${wayOut}` }
    }
    if (!options.change) {
      notices.push(`${path} is open to other users (mode ${was}): ${wayOut}`)
      continue
    }
    try {
      chmodSync(path, mode)
    } catch {
      return { fault: `${path} is open to other users (mode ${was}), and only its owner can close it: ${wayOut}` }
    }
    notices.push(`${path} was open to other users (mode ${was}) and has been closed (mode ${modeText(mode)})`)
  }
  return { fault: null, notices }
}

/** Four octal digits, as chmod takes them. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0")
}
