/** Sizes, free space, keys and backups. */
import { statSync } from "node:fs"
import { SECOND } from "../core/time.ts"
import type { DataPaths } from "../data/data-paths.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import { freeBytes } from "../store/free-writes/free-disk.ts"
import { KEY_USES } from "../store/identity/service-keys.ts"
import type { BackupPoll } from "./backup-poll.ts"
import { type Sample, sample } from "./exposition.ts"

interface FileParts {
  readonly paths: Pick<DataPaths, "directory" | "database">
  readonly keys: Pick<KeyRing, "expiresAt">
  /** Null without a folder for backups. */
  readonly backups: BackupPoll | null
}

export function fileSamples({ paths, keys, backups }: FileParts): readonly Sample[] {
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const age = backups?.ageSeconds() ?? null
  return [
    ...(age === null ? [] : [sample("bizauth_backup_age_seconds", {}, age)]),
    sample("bizauth_database_bytes", { file: "database" }, bytesOf(paths.database)),
    sample("bizauth_database_bytes", { file: "wal" }, bytesOf(`${paths.database}-wal`)),
    sample("bizauth_disk_free_bytes", {}, freeBytes(paths.directory)),
    ...KEY_USES.map((use) =>
      sample("bizauth_signing_key_expiry_timestamp_seconds", { use }, keys.expiresAt(use) / SECOND),
    ),
  ]
}
