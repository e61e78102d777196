import { COMMIT, VERSION } from "../../base/build-facts.ts"
import { DAY, formatInstant, HOUR, instant } from "../../core/time.ts"
import { freeBytes, MEGABYTE } from "../../store/free-writes/free-disk.ts"
import { metaValue } from "../../store/meta.ts"
import { backupsIn } from "../backup/backup-folder.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

/** Less room than for this many days is a note. */
const DAYS_LEFT_MIN = 30
/** Without a schedule, a backup should be at most this old. */
const BACKUP_AGE_MS_MAX = DAY

export async function machineLines(found: Inspected): Promise<readonly Line[]> {
  const version = about("machine", "version", "support needs it")
  return [version.ok(`bizauth ${VERSION} (${COMMIT}), Bun ${Bun.version}`), await diskLine(found), backupLine(found)]
}

/** The forecast divides the free space by the average growth of the database since `init`. */
async function diskLine({ config, paths, store, machine, database, databaseBytes }: Inspected): Promise<Line> {
  const line = about("machine", "disk", "the service sells nothing when it could not store what it sells")
  const free = freeBytes(paths.directory)
  const minimum = config.disk_free_min_mb * MEGABYTE
  const mend = `free space on the disk of ${paths.directory}, or move the directory to a larger one`
  const shown = `${Math.floor(free / MEGABYTE)} MiB free`
  if (databaseBytes === null) {
    const what = `${shown} for keys and lists; ${database.name} has a disk of its own`
    return free < minimum
      ? line.problem(`${what}; sales stop below ${config.disk_free_min_mb} MiB`, mend)
      : line.ok(what)
  }
  const createdAt = await store.read(() => metaValue("created_at"))
  const days = createdAt === null ? 0 : (machine.now() - instant(createdAt)) / DAY
  const daily = days >= 1 ? databaseBytes / days : null
  const left = daily === null ? null : Math.floor((free - minimum) / daily)
  const forecast =
    left === null ? "too new for a forecast" : `room for about ${left} days at the average growth since init`
  const what = `${shown}, ${Math.ceil(databaseBytes / MEGABYTE)} MiB database; ${forecast}`
  if (free < minimum) return line.problem(`${what}; sales stop below ${config.disk_free_min_mb} MiB`, mend)
  return left !== null && left < DAYS_LEFT_MIN ? line.note(what, mend) : line.ok(what)
}

function backupLine({ config, environment, machine, databaseBytes }: Inspected): Line {
  const line = about("backup", "age", "what happened after the newest backup is lost with the disk")
  if (databaseBytes === null) {
    return line.notChecked(
      "PostgreSQL's own backup copies the database, and this command does not see it",
      "try a restore of it, and keep keys and bizauth.toml of the data directory in another safe place",
    )
  }
  const mend = "set backup_dir and backup_every, or run bizauth backup FILE and copy it to another machine"
  const worse = environment === "live" ? line.problem : line.note
  if (config.backup_dir === null) return worse("backup_dir is not set, so no backup is known", mend)
  const [newest] = backupsIn(config.backup_dir)
  if (!newest) return worse(`${config.backup_dir} holds no backup`, mend)
  const age = machine.now() - newest.at
  const limit = Math.max(BACKUP_AGE_MS_MAX, 2 * (config.backup_every ?? 0) * HOUR)
  const what = `${newest.file}, made ${formatInstant(newest.at)} (${(age / HOUR).toFixed(1)} hours ago)`
  return age > limit ? worse(what, "look for backup_failed in the log, or run bizauth backup") : line.ok(what)
}
