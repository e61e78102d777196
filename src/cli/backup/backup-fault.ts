import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { SecretFileError } from "../../base/secret-file.ts"
import { BackupRefusal } from "../../data/backup/backup-refusal.ts"
import { DiskTooFull } from "../../data/backup/scheduled-backup.ts"
import { ImportBusy } from "../../sources/import/import-lock.ts"

/** Converts the faults of backups to exit codes. Returns any other error unchanged. */
export function asBackupFault(error: unknown): unknown {
  if (error instanceof BackupRefusal) return new CommandError(EXIT_OF[error.kind], error.message)
  if (error instanceof DiskTooFull || error instanceof ImportBusy || error instanceof SecretFileError) {
    return new CommandError(EXIT.DATA, error.message)
  }
  return error
}

const EXIT_OF: Readonly<Record<BackupRefusal["kind"], ExitCode>> = {
  UNREADABLE: EXIT.NOT_CHECKED,
  TRUNCATED: EXIT.INVALID,
  DAMAGED: EXIT.INVALID,
  EDITED: EXIT.INVALID,
  FOREIGN: EXIT.NOT_CHECKED,
  NEWER: EXIT.DATA,
  KEYS: EXIT.INVALID,
}
