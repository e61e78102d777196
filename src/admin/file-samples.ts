/** Sizes, free space, keys, backups and the connections to a server. */
import { statSync } from "node:fs"
import { SECOND } from "../core/time.ts"
import type { DataPaths } from "../data/data-paths.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import type { ServerClock } from "../store/engine/clock.ts"
import type { ServerCounts } from "../store/engine/engine.ts"
import { freeBytes } from "../store/free-writes/free-disk.ts"
import { KEY_USES } from "../store/identity/service-keys.ts"
import type { BackupPoll } from "./backup-poll.ts"
import { type Sample, sample } from "./exposition.ts"
import { REPEAT_CODES } from "./label-values.ts"

interface FileParts {
  readonly paths: Pick<DataPaths, "directory" | "database">
  /** Null without a server: the database is a file of the directory. */
  readonly server: ServerCounts | null
  /** Null as well. */
  readonly clock: ServerClock | null
  readonly keys: Pick<KeyRing, "expiresAt">
  /** Null without a folder for backups. */
  readonly backups: BackupPoll | null
}

export function fileSamples({ paths, server, clock, keys, backups }: FileParts): readonly Sample[] {
  const age = backups?.ageSeconds() ?? null
  const offsetMs = clock?.offsetMs ?? null
  return [
    ...(age === null ? [] : [sample("bizauth_backup_age_seconds", {}, age)]),
    ...(server === null ? sizeSamples(paths.database) : serverSamples(server)),
    ...(offsetMs === null ? [] : [sample("bizauth_clock_offset_seconds", {}, offsetMs / SECOND)]),
    sample("bizauth_disk_free_bytes", {}, freeBytes(paths.directory)),
    ...KEY_USES.map((use) =>
      sample("bizauth_signing_key_expiry_timestamp_seconds", { use }, keys.expiresAt(use) / SECOND),
    ),
  ]
}

function sizeSamples(database: string): readonly Sample[] {
  const bytesOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  return [
    sample("bizauth_database_bytes", { file: "database" }, bytesOf(database)),
    sample("bizauth_database_bytes", { file: "wal" }, bytesOf(`${database}-wal`)),
  ]
}

function serverSamples(server: ServerCounts): readonly Sample[] {
  return [
    sample("bizauth_database_connections", {}, server.connections),
    sample("bizauth_database_width", {}, server.width),
    sample("bizauth_database_units_waiting", {}, server.waiting),
    sample("bizauth_database_units_total", {}, server.committed),
    ...REPEAT_CODES.map((code) => sample("bizauth_database_repeats_total", { code }, server.repeats[code] ?? 0)),
    sample("bizauth_database_connections_lost_total", {}, server.lostConnections),
    sample("bizauth_database_outcomes_unknown_total", {}, server.lostOutcomes),
  ]
}
