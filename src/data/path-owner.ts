/** Files that a command of root makes in a data directory belong to the user of the service, who owns the directory. */
import { chownSync, statSync } from "node:fs"

/** Gives `path` the owner of `directory`, if this process is root. Does nothing without a file there. */
export function giveToOwner(directory: string, path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(directory)
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && (found.uid !== uid || found.gid !== gid)) chownSync(path, uid, gid)
}
