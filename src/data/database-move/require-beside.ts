import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { SchemaMismatch } from "../../../db/applied-migrations.ts"
import { SecretFileError } from "../../base/secret-file.ts"
import { knownKeys } from "../../keys/own-identity.ts"
import { receiveAll } from "../../sources/machines/receive-all.ts"
import type { ReadOnlyDatabase } from "../../store/engine/engine.ts"
import { type DatabasePlace, readDatabase } from "../../store/engine/open-engine.ts"
import { DatabaseRefused } from "../../store/engine/store-error.ts"
import { DataDirectoryError, hmacKeys } from "../data-directory.ts"
import type { DataPaths } from "../data-paths.ts"
import { keyCheckFault, keyChecksOf, storedKeyChecks } from "../hmac-keys.ts"
import { requireNewestLog } from "../log-size-record.ts"
import { missingFiles } from "../missing-files.ts"
import { giveToOwner } from "../path-owner.ts"
import type { RunningMove } from "./move-steps.ts"

/**
 * A move must leave a directory that can be served: its key files are those of the database, the database has the newest log, and before a move back
 * from a server the directory has every list, because the move leaves the bytes of lists out. Throws {@link DatabaseRefused} and {@link DataDirectoryError}.
 */
export async function requireBeside(paths: DataPaths, place: DatabasePlace, { work }: RunningMove): Promise<void> {
  const database = await readDatabase(place)
  try {
    if (!(await isCurrent(database))) return
    const isShared = place.kind === "SERVER"
    await requireKeys(paths, database)
    await requireNewestLog({ paths, store: database.store, engine: { names: database.names, isShared } })
    if (isShared) await requireLists(paths, database, work)
  } finally {
    database.close()
  }
}

/** The step that locks the tables refuses another schema, and says what to do. */
async function isCurrent(database: ReadOnlyDatabase): Promise<boolean> {
  try {
    return (await database.pendingMigrations()).length === 0
  } catch (error) {
    if (error instanceof SchemaMismatch) return false
    throw error
  }
}

async function requireKeys(paths: DataPaths, { store, names }: ReadOnlyDatabase): Promise<void> {
  const { checks, signing } = await store.read(function* () {
    return { checks: yield* storedKeyChecks(), signing: (yield* knownKeys()).signing }
  })
  const missing = missingFiles(paths, signing)
  if (missing.length > 0) {
    throw new DataDirectoryError(
      `${missing.join(", ")}: missing. ${names.name} has these keys, and nothing was moved: run the move in the directory that serves it, or put the files back`,
    )
  }
  const fault = checks && keyCheckFault(paths, keyChecksOf(keysAt(paths)), checks, names.name)
  if (fault !== null) throw new DataDirectoryError(`${fault}. Nothing was moved`)
}

function keysAt(paths: DataPaths) {
  try {
    return hmacKeys(paths)
  } catch (error) {
    throw error instanceof SecretFileError ? new DataDirectoryError(error.message) : error
  }
}

async function requireLists(
  { directory, snapshots }: DataPaths,
  { store, names }: ReadOnlyDatabase,
  work: RunningMove["work"],
): Promise<void> {
  const lacking = await receiveAll({ store, root: snapshots, work })
  const received = existsSync(snapshots) ? readdirSync(snapshots, { recursive: true, encoding: "utf8" }) : []
  for (const name of received) giveToOwner(directory, join(snapshots, name))
  if (lacking.length === 0) return
  const lines = lacking.map(({ sourceId, snapshotId, state, why }) => `${sourceId} ${snapshotId} (${state}): ${why}`)
  throw new DatabaseRefused(
    `${names.name} has lists whose bytes this directory lacks, and a move back leaves those of the database out. Nothing was moved. ${lines.join("; ")}`,
  )
}
