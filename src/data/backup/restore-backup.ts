/**
 * Restores a backup into a new data directory. Everything is written beside the directory and synced; the last step renames it. So a crash
 * leaves no directory, or a whole one that knows that it was restored.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { renameDurably, syncFolder } from "../../base/durable-file.ts"
import { type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { formatInstant } from "../../core/time.ts"
import type { Environment } from "../data-directory.ts"
import { type DataPaths, dataPaths } from "../data-paths.ts"
import { writeSizeRecord } from "../log-size-record.ts"
import { CONFIGURATION_NAME, PUBLIC_KEYS_NAME } from "./backup-members.ts"
import { requireSound } from "./copy-database.ts"
import { type MarkedLog, markRestored } from "./mark-restored.ts"
import { missingKeyFiles, requireKeysOfDatabase } from "./missing-keys.ts"
import { type ReadOptions, type Unpacked, unpackBackup } from "./read-backup.ts"
import { isProcessAlive } from "./remains.ts"
import { requireKnownSchema } from "./schema-of-backup.ts"
import { writeKeys } from "./sealed-keys.ts"

interface RestoreOrder extends ReadOptions {
  readonly file: string
  /** Must not exist, or must be empty. */
  readonly directory: string
  /** With the declaration that nothing happened after the backup: throws if that is not so. Null without the declaration. */
  readonly requireNewest: ((state: RestoredState) => Promise<void>) | null
}

/** The unpacked backup before it is marked. */
export interface RestoredState {
  readonly paths: DataPaths
  readonly environment: Environment
  /** RFC 3339. */
  readonly backupAt: string
  /** Migrations that the database does not have. */
  readonly pending: readonly string[]
}

export const RESTORE_STEPS = ["UNPACK", "CHECK", "COMPARE", "MARK", "KEYS", "SIZE_RECORD", "RENAME"] as const
type RestoreStep = (typeof RESTORE_STEPS)[number]

interface RestoreParts {
  readonly machine: Pick<Machine, "now">
  /** Called before each step. A test kills the process there. */
  readonly trace?: (step: RestoreStep) => void
  readonly work?: LongWork
}

const WORDS: Readonly<Record<RestoreStep, string>> = {
  UNPACK: "unpacking the backup",
  CHECK: "checking every page of the database",
  COMPARE: "comparing the backup with the chain",
  MARK: "marking the database as restored",
  KEYS: "writing the keys",
  SIZE_RECORD: "recording the size of the log",
  RENAME: "putting the directory in place",
}

export interface Restored extends Unpacked {
  readonly paths: DataPaths
  /** RFC 3339. */
  readonly restoredAt: string
  readonly log: MarkedLog
  /** Migrations that `serve` will apply. */
  readonly pending: readonly string[]
  /** Paths of the key files that the service needs and the backup does not hold. */
  readonly keysMissing: readonly string[]
  readonly hasConfiguration: boolean
  /** Number of restored files of lists and registers. */
  readonly listFiles: number
}

/** The target is not a place for a restore. */
export class TargetRefused extends Error {}

/** Throws {@link TargetRefused}, BackupRefusal, what `requireNewest` throws, and errors of the operating system. Nothing is at the target then. */
export async function restoreBackup(
  order: RestoreOrder,
  { machine, trace = () => {}, work = UNWATCHED }: RestoreParts,
): Promise<Restored> {
  const { requireNewest } = order
  const steps = RESTORE_STEPS.filter((step) => step !== "COMPARE" || requireNewest !== null)
  const begin = stepsOf({ work, steps, words: WORDS, trace })
  const target = resolve(order.directory)
  requireFreeTarget(target)
  const folder = `${target}.restoring-${process.pid}`
  removeRemains(target)
  try {
    mkdirSync(folder, { mode: 0o700 })
    begin("UNPACK", { unit: "bytes" })
    const unpacked = await unpackBackup(order.file, folder, { ...order, work })
    const paths = dataPaths(folder)
    // The database has the same keys.
    rmSync(join(folder, PUBLIC_KEYS_NAME), { force: true })
    begin("CHECK", { size: statSync(paths.database).size })
    requireSound(paths.database)
    const pending = requireKnownSchema(paths.database)
    const { created_at: backupAt, environment } = unpacked.manifest
    if (requireNewest !== null) {
      begin("COMPARE", { size: 0 })
      await requireNewest({ paths, environment, backupAt, pending })
    }
    begin("MARK", { size: 0 })
    const restoredAt = formatInstant(machine.now())
    const log = await markRestored(paths.database, {
      backupAt,
      restoredAt,
      isNewest: requireNewest !== null,
    })
    begin("KEYS", { size: 0 })
    mkdirSync(paths.snapshots, { recursive: true, mode: 0o700 })
    writeKeys(paths.keys, unpacked.keys ?? [])
    requireKeysOfDatabase(paths)
    const keysMissing = missingKeyFiles(paths)
    begin("SIZE_RECORD", { size: 0 })
    writeSizeRecord(folder, { size: log.size, rootHash: log.rootHash, at: restoredAt })
    syncFolder(folder)
    begin("RENAME", { size: 0 })
    // Only an empty directory can be replaced by a rename.
    renameDurably(folder, target)
    const restored = dataPaths(target)
    return {
      ...unpacked,
      paths: restored,
      restoredAt,
      log,
      pending,
      keysMissing: keysMissing.map((path) => path.replace(paths.directory, restored.directory)),
      hasConfiguration: unpacked.manifest.members.some(({ name }) => name === CONFIGURATION_NAME),
      listFiles: unpacked.manifest.members.filter(({ name }) => name.startsWith("snapshots/")).length,
    }
  } finally {
    removeRemains(target)
  }
}

function requireFreeTarget(target: string): void {
  const found = statSync(target, { throwIfNoEntry: false })
  if (!found) {
    if (existsSync(dirname(target))) return
    throw new TargetRefused(`the folder ${dirname(target)} does not exist; make it first`)
  }
  if (!found.isDirectory()) throw new TargetRefused(`${target} is not a directory`)
  if (readdirSync(target).length > 0) {
    throw new TargetRefused(
      `${target} is not empty; a restore never changes a data directory: name a new one, or move this one away`,
    )
  }
}

/** Removes what this process and dead ones left beside the target. */
function removeRemains(target: string): void {
  const beginning = `${basename(target)}.restoring-`
  for (const name of readdirSync(dirname(target))) {
    const pid = name.startsWith(beginning) ? Number(name.slice(beginning.length)) : Number.NaN
    if (!Number.isSafeInteger(pid) || (pid !== process.pid && isProcessAlive(pid))) continue
    rmSync(join(dirname(target), name), { recursive: true, force: true })
  }
}
