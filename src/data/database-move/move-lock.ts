import { join } from "node:path"
import { holdersOf } from "../../store/engine/sqlite/file-holders.ts"
import { takeLockFile } from "../../store/engine/sqlite/lock-file.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import { giveToOwner } from "../path-owner.ts"

const LOCK_FILE = ".move.lock"

/**
 * Keeps every other process from the steps of a move that follow its mark. A process that stands still keeps the lock: if another one did the rest of
 * its move meanwhile, it would later rename a database that came into use since.
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
  return `${who} moves the database of ${directory} now: wait until it ends. If it stands still, end it, and run the same command again`
}
