/** Opens a data directory for reading only. Neither a file, a mode nor a row changes, and no server beside it notices. */
import { SchemaMismatch } from "../../../db/applied-migrations.ts"
import { type Config, ConfigError } from "../../base/config.ts"
import type { Machine } from "../../base/machine.ts"
import type { DatabaseNames } from "../../store/engine/engine.ts"
import { readDatabase } from "../../store/engine/open-engine.ts"
import { classify, damageOf, directCode } from "../../store/engine/sqlite/sqlite-code.ts"
import { DatabaseRefused, StoreUnavailable } from "../../store/engine/store-error.ts"
import type { Store } from "../../store/engine/unit.ts"
import { metaValue } from "../../store/meta.ts"
import type { Environment } from "../data-directory.ts"
import { fileFault } from "../data-files.ts"
import type { DataPaths } from "../data-paths.ts"
import { databasePlace } from "../database-place.ts"
import { closeFiles } from "../file-modes.ts"
import { movedMark, movedText } from "../move-mark.ts"
import { LOCAL_DISK, sharedMountNotice } from "../network-mount.ts"
import { about, type Line } from "./line.ts"

/** What every check reads. */
export interface Inspected {
  readonly config: Config
  readonly paths: DataPaths
  readonly machine: Machine
  readonly store: Pick<Store, "read">
  readonly environment: Environment
  readonly database: DatabaseNames
  /** Bytes of the database without its write-ahead log; null if a server keeps it. */
  readonly databaseBytes: number | null
}

const files = about(
  "directory",
  "files",
  "another user could change what the service answers, or read about every buyer",
)
const place = about("directory", "file system", "SQLite's locks keep two services apart only on a disk of one machine")
const schema = about("directory", "schema", "a server with another schema refuses to start")
const FULL = "put back your newest backup (bizauth restore) and keep the damaged file"

type Opened =
  | { readonly lines: readonly Line[]; readonly found: Inspected; close(): void }
  | { readonly lines: readonly Line[]; readonly found: null }

/** With a line that says why, when the database cannot be read now. */
export async function inspect(paths: DataPaths, config: Config, machine: Machine): Promise<Opened> {
  const where = databasePlace(paths, config.database_file)
  const fault = fileFault(paths, paths.directory, where)
  if (fault !== null) return { lines: [files.problem(fault, "see the sentence above")], found: null }
  const closed = closeFiles(paths, { change: false })
  if (closed.fault !== null) return { lines: [files.problem(closed.fault, "see the sentence above")], found: null }
  const modes = closed.notices.map((notice) => files.problem(notice, "run the chmod command"))
  const fileLines = [
    ...(modes.length > 0 ? modes : [files.ok(`${paths.directory}: every file is there and closed to others`)]),
    ...(where.kind === "FILE" ? [placeLine(paths)] : []),
  ]
  try {
    const database = await readDatabase(where)
    try {
      const pending = await database.pendingMigrations()
      const [first] = pending
      if (first) {
        database.close()
        const what = `the database needs ${pending.map(({ name }) => name).join(", ")}; what depends on it is not checked`
        return {
          lines: [...fileLines, schema.note(what, "bizauth upgrade check DIR, then start bizauth serve once")],
          found: null,
        }
      }
      const { store } = database
      const { environment, moved } = await store.read(function* () {
        return { environment: yield* metaValue("environment"), moved: yield* movedMark() }
      })
      if (moved !== null) throw new DatabaseRefused(movedText(database.names.name, moved))
      if (environment !== "test" && environment !== "live") throw new SchemaMismatch("an init did not finish")
      return {
        lines: [...fileLines, schema.ok(`every migration of this release is applied; made for ${environment}`)],
        found: {
          config,
          paths,
          machine,
          store,
          environment,
          database: database.names,
          databaseBytes: database.bytes(),
        },
        close: database.close,
      }
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    return { lines: [...fileLines, unreadable(error)], found: null }
  }
}

function placeLine({ directory }: DataPaths): Line {
  const notice = sharedMountNotice(directory)
  return notice === null
    ? place.ok("no network file system is known for the directory")
    : place.note(notice, LOCAL_DISK)
}

function unreadable(error: unknown): Line {
  if (error instanceof SchemaMismatch)
    return schema.problem(error.message, "use the release that made it, or a newer one")
  if (error instanceof DatabaseRefused)
    return schema.problem(error.message, "correct database_file, or look at the server (docs/scale.md)")
  if (error instanceof ConfigError) return schema.problem(error.message, "correct the file that database_file names")
  if (error instanceof StoreUnavailable)
    return schema.problem(error.message, "see that the server answers, then run this command again")
  const damage = damageOf(error)
  if (damage !== null) return schema.problem(`the database is damaged (${damage})`, FULL)
  const code = directCode(error)
  if (code !== null)
    return schema.problem(`the database cannot be read (${code})`, "see that its user runs this command")
  throw classify(error)
}
