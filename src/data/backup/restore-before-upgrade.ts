/**
 * Puts back the copy of the database that an upgrade made before its migrations. The newer database stays under another name. At every
 * moment `bizauth.db` is a whole database: the newer one, or the copy marked as restored.
 */
import { Database } from "bun:sqlite"
import { copyFileSync, linkSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { renameDurably, syncFile, syncFolder } from "../../base/durable-file.ts"
import { type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import { classify } from "../../store/engine/sqlite/sqlite-code.ts"
import { StoreUnavailable } from "../../store/engine/store-error.ts"
import { MOVED_TO } from "../../store/engine/tables.ts"
import type { DataPaths } from "../data-paths.ts"
import { writeSizeRecord } from "../log-size-record.ts"
import { movedText, readMark } from "../move-mark.ts"
import { requireSound } from "./copy-database.ts"
import { markRestored } from "./mark-restored.ts"
import type { MarkedLog } from "./record-restore.ts"
import { isProcessAlive } from "./remains.ts"
import { TargetRefused } from "./restore-backup.ts"

export const DOWNGRADE_STEPS = ["COPY", "MARK", "SIZE_RECORD", "KEEP_NEWER", "RENAME"] as const
type DowngradeStep = (typeof DOWNGRADE_STEPS)[number]

interface DowngradeParts {
  readonly machine: Pick<Machine, "now">
  /** Called before each step. A test kills the process there. */
  readonly trace?: (step: DowngradeStep) => void
  readonly work?: LongWork
}

const WORDS: Readonly<Record<DowngradeStep, string>> = {
  COPY: "copying and checking the earlier database",
  MARK: "marking the database as restored",
  SIZE_RECORD: "recording the size of the log",
  KEEP_NEWER: "keeping the newer database",
  RENAME: "putting the database in place",
}

export interface Downgraded {
  /** The copy that is in use again. It stays too. */
  readonly copy: string
  /** The first migration that the database does not have any more. */
  readonly migration: string
  /** Where the newer database is kept. */
  readonly newer: string
  /** RFC 3339. */
  readonly upgradedAt: string
  readonly log: MarkedLog
}

/** Throws {@link TargetRefused} without a copy, or while another process has the database open. */
export async function restoreBeforeUpgrade(
  paths: DataPaths,
  { machine, trace = () => {}, work = UNWATCHED }: DowngradeParts,
): Promise<Downgraded> {
  const begin = stepsOf({ work, steps: DOWNGRADE_STEPS, words: WORDS, trace })
  const { copy, ordinal } = newestCopy(paths)
  const upgrade = closeAndRead(paths, ordinal)
  const folder = paths.directory
  const next = `${paths.database}.restoring-${process.pid}`
  removeRemains(paths)
  try {
    begin("COPY", { size: statSync(copy).size })
    copyFileSync(copy, next)
    syncFile(next)
    requireSound(next)
    begin("MARK", { size: 0 })
    const restoredAt = formatInstant(machine.now())
    const log = await markRestored(next, { backupAt: upgrade.at, restoredAt, isNewest: false })
    begin("SIZE_RECORD", { size: 0 })
    // The newer database's log begins with these leaves too, so the record fits both.
    writeSizeRecord(folder, { size: log.size, rootHash: log.rootHash, at: restoredAt })
    begin("KEEP_NEWER", { size: 0 })
    const newer = `${paths.database}.replaced-${restoredAt.replaceAll(/[-:]|\.\d+/g, "")}`
    // A restore that was killed a moment ago made the same name.
    if (statSync(newer, { throwIfNoEntry: false })?.ino !== statSync(paths.database).ino)
      linkSync(paths.database, newer)
    syncFolder(folder)
    begin("RENAME", { size: 0 })
    renameDurably(next, paths.database)
    return { copy, migration: upgrade.name, newer, upgradedAt: upgrade.at, log }
  } finally {
    removeRemains(paths)
  }
}

function newestCopy({ directory, database }: DataPaths): { readonly copy: string; readonly ordinal: number } {
  const pattern = new RegExp(`^${basename(database).replaceAll(".", "\\.")}\\.before-(\\d{4})$`)
  const copies = readdirSync(directory).flatMap((name) => {
    const ordinal = pattern.exec(name)?.[1]
    return ordinal === undefined ? [] : [{ copy: join(directory, name), ordinal: Number(ordinal) }]
  })
  const [newest] = copies.sort((left, right) => right.ordinal - left.ordinal)
  if (newest) return newest
  throw new TargetRefused(
    `${directory} has no copy of a database before an upgrade (bizauth.db.before-NNNN); restore a backup`,
  )
}

/** Ends the write-ahead log, which fails while another process has the database open. Returns the upgrade that the copy was made for. */
function closeAndRead({ database: path }: DataPaths, ordinal: number): { readonly name: string; readonly at: string } {
  const database = new Database(path, { readwrite: true, create: false })
  try {
    database.run("PRAGMA busy_timeout = 0")
    database.run("PRAGMA journal_mode = DELETE")
    const marked = database.query<{ value: string }, [string]>("SELECT value FROM meta WHERE name = ?1").get(MOVED_TO)
    const mark = readMark(marked?.value ?? null)
    if (mark !== null) throw new TargetRefused(movedText(path, mark))
    const applied = database
      .query<{ name: string; applied_at: string }, [number]>(
        "SELECT name, applied_at FROM schema_migration WHERE ordinal = ?1",
      )
      .get(ordinal)
    if (applied) return { name: applied.name, at: applied.applied_at }
    throw new TargetRefused(`${path} does not have migration ${ordinal}, so the copy before it is in use already`)
  } catch (error) {
    const failure = classify(error)
    if (failure instanceof StoreUnavailable && failure.reason === "BUSY") {
      throw new TargetRefused(`another process has ${path} open: stop the service first`)
    }
    throw error
  } finally {
    database.close(false)
  }
}

function removeRemains({ directory, database }: DataPaths): void {
  const beginning = `${basename(database)}.restoring-`
  for (const name of readdirSync(directory)) {
    const pid = name.startsWith(beginning)
      ? /^(\d+)(-wal|-shm|-journal)?$/.exec(name.slice(beginning.length))?.[1]
      : undefined
    if (pid === undefined || (Number(pid) !== process.pid && isProcessAlive(Number(pid)))) continue
    rmSync(join(directory, name), { force: true })
  }
}
