import { isAbsolute } from "node:path"
import { type Config, ConfigError } from "../../base/config.ts"
import type { BackupPlan } from "./backup-plan.ts"

/** Returns null without a folder for backups. Throws {@link ConfigError} for settings that contradict each other. */
export function backupPlan({ backup_dir, backup_every, backup_keep, backup_lists }: Config): BackupPlan | null {
  if (backup_dir === "") {
    if (backup_every !== "0") throw new ConfigError("backup_every needs backup_dir: the folder for the backups")
    return null
  }
  if (!isAbsolute(backup_dir)) throw new ConfigError("backup_dir must be an absolute path")
  return {
    folder: backup_dir,
    everyHours: Number(backup_every),
    keep: Number(backup_keep),
    includesLists: backup_lists === "on",
  }
}
