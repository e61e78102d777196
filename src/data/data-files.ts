/** Checks that the files of a data directory exist and that this user can read and write them, before SQLite opens any of them. */
import { accessSync, constants, type Stats, statSync } from "node:fs"
import type { DatabasePlace } from "../store/engine/open-engine.ts"
import type { DataPaths } from "./data-paths.ts"

const USE = constants.R_OK | constants.W_OK
const ENTER = USE | constants.X_OK

/** SQLite keeps these files next to its database while it is open, and after a crash. */
const databaseFiles = (database: string): readonly string[] => [database, `${database}-wal`, `${database}-shm`]

/** Why the directory cannot be used, as one sentence, or null. `named`: the directory as the caller wrote it. */
export function fileFault(paths: DataPaths, named: string, place: DatabasePlace): string | null {
  const { directory, keys, snapshots } = paths
  const found = statOf(directory)
  if (found === "ENOENT") return `${directory} does not exist; make it with: bizauth init --data ${named}`
  if (typeof found === "string") return unusable(directory, found)
  if (!found.isDirectory()) return `${directory} is not a directory`
  const closed = accessFault(directory, ENTER)
  if (closed !== null) return closed
  const fault = place.kind === "SERVER" ? serverFault(paths, named) : databaseFault(paths, named)
  return fault ?? folderFault(keys, constants.R_OK | constants.X_OK) ?? folderFault(snapshots, ENTER)
}

function notInitialised(directory: string, named: string): string {
  return `${directory} is not initialised; run: bizauth init --data ${named}`
}

/** Two databases for one directory: nobody knows which of them the keys belong to. */
function serverFault({ directory, database, keys }: DataPaths, named: string): string | null {
  if (statOf(keys) === "ENOENT") return notInitialised(directory, named)
  return statOf(database) === "ENOENT"
    ? null
    : `${database} is there, and database_file names a server: only init and database move choose where the database is. If bizauth database move was interrupted, run it again. Otherwise unset database_file, or move the file away if it does not belong to ${directory}`
}

function databaseFault({ directory, database, keys }: DataPaths, named: string): string | null {
  const file = statOf(database)
  if (file === "ENOENT") {
    return statOf(keys) === "ENOENT"
      ? notInitialised(directory, named)
      : `${database} is missing, and the keys of ${directory} are there: it was deleted or moved, or an init did not finish. If bizauth database move was interrupted, run it again. Otherwise put it back with its -wal file, or restore your newest backup into a new directory (bizauth restore)`
  }
  for (const path of databaseFiles(database)) {
    const part = statOf(path)
    if (part === "ENOENT") continue
    if (typeof part === "string") return unusable(path, part)
    if (!part.isFile()) return `${path} is not a file; put back the database that belongs there`
    const fault = accessFault(path, USE)
    if (fault !== null) return fault
  }
  return null
}

/** Null also for a missing folder; the code that needs the folder reports it. */
function folderFault(path: string, mode: number): string | null {
  const found = statOf(path)
  if (found === "ENOENT") return null
  if (typeof found !== "string" && !found.isDirectory()) return `${path} is not a directory`
  return accessFault(path, mode)
}

function accessFault(path: string, mode: number): string | null {
  try {
    accessSync(path, mode)
    return null
  } catch (error) {
    return unusable(path, codeOf(error))
  }
}

function unusable(path: string, code: string): string {
  if (code === "EROFS") return `${path} is on a file system that is mounted read-only; mount it for writing`
  return `${path} cannot be read and written by this user (${code}); run bizauth as the owner of the data directory, or give the files to this user`
}

/** Stats of the file at `path`, or the code of the error. */
function statOf(path: string): Stats | string {
  try {
    return statSync(path)
  } catch (error) {
    return codeOf(error)
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code
  throw error
}
