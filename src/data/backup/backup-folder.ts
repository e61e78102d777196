/** The folder of scheduled backups: names by time, the newest, and what is kept. */
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { syncFolder } from "../../base/durable-file.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"

/** Time in UTC to the second, without characters that shells and file systems treat apart. */
const NAME = /^bizauth-backup-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z\.tar\.zst$/

interface FoundBackup {
  readonly file: string
  /** Milliseconds, from the name. */
  readonly at: number
}

export function backupName(at: number): string {
  return `bizauth-backup-${formatInstant(at).replace(/\.\d+/, "").replaceAll(/[-:]/g, "")}.tar.zst`
}

/** The newest first. Other files are not listed. Empty for a folder that does not exist. */
export function backupsIn(folder: string): readonly FoundBackup[] {
  return namesIn(folder)
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
      const at = year === undefined ? null : parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
      return at === null ? [] : [{ file: join(folder, name), at }]
    })
    .sort((left, right) => right.at - left.at)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return []
    throw error
  }
}

/** Removes all but the newest `keep`. Returns the removed files. */
export function removeOldBackups(folder: string, keep: number): readonly string[] {
  const old = backupsIn(folder)
    .slice(keep)
    .map(({ file }) => file)
  for (const file of old) rmSync(file)
  if (old.length > 0) syncFolder(folder)
  return old
}

const REMAINS = /^bizauth-backup-\d{8}T\d{6}Z\.tar\.zst\.partial-\d+(\.db(-wal|-shm|-journal)?)?$/

/** Removes what killed backups left. Call it under the lock of the folder, so that no backup is under way. */
export function removeRemainsIn(folder: string): void {
  for (const name of namesIn(folder)) if (REMAINS.test(name)) rmSync(join(folder, name), { force: true })
}

/** Creates the folder for its owner only. */
export function makeBackupFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}
