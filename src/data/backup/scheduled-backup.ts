/** One backup into the folder of scheduled backups. Two servers over one data directory make one: a lock file decides. */
import { statfsSync } from "node:fs"
import { join } from "node:path"
import type { LongWork } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { ImportBusy, withLock } from "../../sources/import/import-lock.ts"
import type { DataPaths } from "../data-paths.ts"
import { backupName, makeBackupFolder, removeOldBackups, removeRemainsIn } from "./backup-folder.ts"
import { type BackupPlan, nextBackupAt } from "./backup-plan.ts"
import type { Checked } from "./read-backup.ts"
import { bytesNeeded, makeBackup } from "./write-backup.ts"

const LOCK = ".backup.lock"

/** The disk has too little room for a backup. */
export class DiskTooFull extends Error {}

type ScheduledBackup =
  | { readonly outcome: "MADE"; readonly file: string; readonly checked: Checked; readonly removed: readonly string[] }
  | { readonly outcome: "NOT_DUE" }
  /** Another process makes one now. */
  | { readonly outcome: "BEING_MADE" }

/**
 * Makes a backup when it is due, or at once with `isForced`, and removes the oldest ones. Throws {@link DiskTooFull}, what `makeBackup`
 * throws, and {@link ImportBusy} if a forced backup finds another process that makes one. CHOICE: a backup that is due, and that another
 * process makes already, is no failure, because that process reports how it ends.
 */
export async function backUpIntoFolder(
  paths: DataPaths,
  plan: BackupPlan,
  machine: Pick<Machine, "now">,
  { isForced, work }: { readonly isForced: boolean; readonly work?: LongWork },
): Promise<ScheduledBackup> {
  makeBackupFolder(plan.folder)
  try {
    return await withLock(plan.folder, LOCK, "another process makes a backup into this folder", async () => {
      if (!isForced && nextBackupAt(plan, machine.now()) > machine.now()) return { outcome: "NOT_DUE" }
      removeRemainsIn(plan.folder)
      requireFreeSpace(plan.folder, { paths, includesLists: plan.includesLists })
      const file = join(plan.folder, backupName(machine.now()))
      const order = { paths, file, includesLists: plan.includesLists, passphrase: null }
      const checked = await makeBackup(order, { machine, ...(work && { work }) })
      return { outcome: "MADE", file, checked, removed: removeOldBackups(plan.folder, plan.keep) }
    })
  } catch (error) {
    if (error instanceof ImportBusy && !isForced) return { outcome: "BEING_MADE" }
    throw error
  }
}

/** Throws {@link DiskTooFull} when the disk of `folder` has less than the backup may need. */
export function requireFreeSpace(folder: string, of: Parameters<typeof bytesNeeded>[0]): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = bytesNeeded(of)
  if (bavail * bsize >= needed) return
  throw new DiskTooFull(
    `a backup needs up to ${needed} bytes free in ${folder}, which has ${bavail * bsize}: free some, or name another folder`,
  )
}
