/** When backups are made. This module loads with the service, so it imports nothing that makes one. */
import { HOUR } from "../../core/time.ts"
import { backupsIn } from "./backup-folder.ts"

export interface BackupPlan {
  /** Absolute. */
  readonly folder: string
  readonly everyHours: number
  /** How many backups stay. */
  readonly keep: number
  readonly includesLists: boolean
}

/** When the next backup is due, in milliseconds. A backup from the future counts as none, because the clock was wrong. */
export function nextBackupAt({ folder, everyHours }: BackupPlan, now: number): number {
  const newest = backupsIn(folder).find(({ at }) => at <= now)
  return newest === undefined ? now : newest.at + everyHours * HOUR
}
