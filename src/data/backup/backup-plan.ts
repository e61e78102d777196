/** When backups are made. This module loads with the service, so it imports nothing that makes one. */
import { isAbsolute } from "node:path"
import { type Config, ConfigError } from "../../base/config.ts"
import { HOUR } from "../../core/time.ts"
import { backupsIn } from "./backup-folder.ts"

export interface BackupPlan {
  /** Absolute. */
  readonly folder: string
  /** Zero when the service makes none by itself. */
  readonly everyHours: number
  /** How many backups stay. */
  readonly keep: number
  readonly includesLists: boolean
}

/** Returns null without a folder for backups. Throws {@link ConfigError} for settings that contradict each other. */
export function backupPlan(config: Config): BackupPlan | null {
  const { backup_dir: folder, backup_every: everyHours, backup_keep: keep, backup_lists: includesLists } = config
  if (folder === null) {
    if (everyHours !== null) throw new ConfigError("backup_every needs backup_dir: the folder for the backups")
    return null
  }
  if (!isAbsolute(folder)) throw new ConfigError("backup_dir must be an absolute path")
  return { folder, everyHours: everyHours ?? 0, keep, includesLists }
}

/** When the next backup is due, in milliseconds. A backup from the future counts as none, because the clock was wrong. */
export function nextBackupAt({ folder, everyHours }: BackupPlan, now: number): number {
  const newest = backupsIn(folder).find(({ at }) => at <= now)
  return newest === undefined ? now : newest.at + everyHours * HOUR
}
