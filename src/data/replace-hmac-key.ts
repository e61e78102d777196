/**
 * Puts a new HMAC key in the place of a lost or stolen one, while nobody serves. The database gets the check value of the new key before the file gets
 * its name. A process that is killed between the two leaves a directory that does not open, and the next call replaces the key again.
 */
import { readdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { renameDurably, syncFolder } from "../base/durable-file.ts"
import { type LongWork, stepsOf, UNWATCHED } from "../base/long-work.ts"
import type { Machine } from "../base/machine.ts"
import { writeSecretFile } from "../base/secret-file.ts"
import { aloneOnServer } from "../store/engine/open-engine.ts"
import { lockTables } from "../store/engine/open-tables.ts"
import { MOVED_TO } from "../store/engine/tables.ts"
import { putMeta } from "../store/meta.ts"
import { DataDirectoryError } from "./data-directory.ts"
import { fileFault } from "./data-files.ts"
import type { DataPaths } from "./data-paths.ts"
import { databasePlace } from "./database-place.ts"
import { CHECK_ROWS, type HmacKeys, keyCheckOf } from "./hmac-keys.ts"
import { movedText, readMark } from "./move-mark.ts"
import { giveToOwner } from "./path-owner.ts"

export const REPLACE_HMAC_STEPS = ["CHECK", "NEW_FILE", "RECORD", "RENAME"] as const
type ReplaceHmacStep = (typeof REPLACE_HMAC_STEPS)[number]

const WORDS: Readonly<Record<ReplaceHmacStep, string>> = {
  CHECK: "looking whether nobody uses the database",
  NEW_FILE: "making the new key",
  RECORD: "recording the check value of the new key",
  RENAME: "putting the new key in place",
}

interface HmacKeyOrder {
  readonly paths: DataPaths
  /** The value of the setting `database_file`. */
  readonly databaseFile: string | null
  readonly key: keyof HmacKeys
}

interface ReplaceHmacParts {
  readonly machine: Pick<Machine, "random">
  /** Called before each step. A test kills the process there. */
  readonly trace?: (step: ReplaceHmacStep) => void
  readonly work?: LongWork
}

const KEY_BYTES = 32

/** Rejects with {@link DataDirectoryError}, with DatabaseRefused while a process serves, or with the errors of the store. */
export async function replaceHmacKey(
  { paths, databaseFile, key }: HmacKeyOrder,
  { machine, trace = () => {}, work = UNWATCHED }: ReplaceHmacParts,
): Promise<void> {
  const begin = stepsOf({ work, steps: REPLACE_HMAC_STEPS, words: WORDS, trace })
  const place = databasePlace(paths, databaseFile)
  const fault = fileFault(paths, paths.directory, place)
  if (fault !== null) throw new DataDirectoryError(fault)
  begin("CHECK", { size: 0 })
  const file = paths[key]
  const replace = async (database: Database): Promise<void> => {
    await requireInUse(database)
    begin("NEW_FILE", { size: 0 })
    removeRemains(file)
    const partial = `${file}.partial-${process.pid}`
    const bytes = machine.random(KEY_BYTES)
    writeSecretFile(partial, bytes)
    giveToOwner(paths.directory, partial)
    begin("RECORD", { size: 0 })
    await database.put(CHECK_ROWS[key], keyCheckOf(key, bytes))
    begin("RENAME", { size: 0 })
    renameDurably(partial, file)
  }
  if (place.kind === "FILE") {
    await lockTables(place, (tables) =>
      replace({
        name: tables.name,
        meta: (row) => tables.meta(row),
        put: (row, value) => tables.mark(row, value),
      }),
    )
    return
  }
  await aloneOnServer(place.url(), (engine) =>
    replace({
      name: engine.names.name,
      meta: (row) => engine.metaBefore(row),
      put: (row, value) => engine.store.run(() => putMeta(row, value)),
    }),
  )
}

/** A database that no process serves from. */
interface Database {
  readonly name: string
  /** A value of the table `meta`. */
  meta(name: string): Promise<string | null>
  put(name: (typeof CHECK_ROWS)[keyof HmacKeys], value: string): Promise<void>
}

async function requireInUse(database: Database): Promise<void> {
  const mark = readMark(await database.meta(MOVED_TO))
  if (mark !== null) throw new DataDirectoryError(movedText(database.name, mark))
  if ((await database.meta("environment")) === null) {
    throw new DataDirectoryError(`${database.name} is no database of bizauth, or its init did not finish`)
  }
}

/** Of processes that were killed: a key that no directory ever served with. */
function removeRemains(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(file)}.partial-`)) rmSync(join(folder, name), { force: true })
  }
  syncFolder(folder)
}
