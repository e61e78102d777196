/** Restricts what other users of the machine may do with the files of a data directory. */
import { chmodSync, readdirSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import type { DataPaths } from "./data-paths.ts"

const OTHERS_CHANGE = 0o022
const OTHERS = 0o077

type ClosedFiles =
  /** One notice for each path that was closed. */
  { readonly fault: null; readonly notices: readonly string[] } | { readonly fault: string }

/**
 * Removes other users' access to files that they can read: a reader would learn about every buyer. A path that other users can write is
 * reported as a fault and left unchanged, because nobody can know what was changed already. Key files have a stricter rule. Without
 * `change` nothing is closed, and the notices list the open paths.
 */
export function closeFiles(
  { directory, database, keys, snapshots }: DataPaths,
  options: { change: boolean },
): ClosedFiles {
  const name = basename(database)
  const databases = readdirSync(directory).filter((file) => file.startsWith(name))
  const wanted: readonly (readonly [path: string, mode: number])[] = [
    ...[directory, keys, snapshots].map((path) => [path, 0o700] as const),
    // The database, SQLite's files next to it, and copies made before migrations.
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

/** Four octal digits, as for chmod. */
export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, "0")
}
