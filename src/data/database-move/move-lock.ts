import { join } from "node:path"
import { holdersOf } from "../../store/engine/sqlite/file-holders.ts"
import { takeLockFile } from "../../store/engine/sqlite/lock-file.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import { giveToOwner } from "../path-owner.ts"

const LOCK_FILE = ".move.lock"

/**
 * Only the process that has the lock runs the steps of a move after its mark. A process that hangs keeps the lock: if another process finished the
 * move meanwhile, the first one would later rename a database that is in use by then.
 */
export interface MoveLock {
  /** Does nothing if it is taken already. Throws {@link DatabaseRefused} if another process has it. */
  take(): void
  release(): void
}

/** It is not taken yet, so that a move which is refused leaves the directory as it was. */
export function moveLock(directory: string): MoveLock {
  const path = join(directory, LOCK_FILE)
  let lock: ReturnType<typeof takeLockFile> = null
  return {
    take() {
      lock ??= takeLockFile(path)
      if (lock === null) throw new DatabaseRefused(takenText(directory, path))
      giveToOwner(directory, path)
    },
    release: () => lock?.release(),
  }
}

function takenText(directory: string, path: string): string {
  const [pid] = holdersOf([path])
  const who = pid === undefined ? "another process" : `process ${pid}`
  return `${who} moves the database of ${directory} now: wait until it ends. If it hangs, end it, and run the same command again`
}
