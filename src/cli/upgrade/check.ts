import { existsSync, statfsSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SchemaMismatch } from "../../../db/applied-migrations.ts"
import { migrations } from "../../../db/migrations.ts"
import { VERSION } from "../../base/build-facts.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { readFault } from "../../base/system-fault.ts"
import { DATABASE_NAME } from "../../data/backup/backup-members.ts"
import { type JudgedEnd, judgeEnd } from "../../data/backup/file-end.ts"
import { unpackBackup } from "../../data/backup/read-backup.ts"
import { requireKnownSchema } from "../../data/backup/schema-of-backup.ts"
import { dataPaths } from "../../data/data-paths.ts"
import { databasePlace } from "../../data/database-place.ts"
import { type DatabasePlace, readDatabase } from "../../store/engine/open-engine.ts"
import { directCode } from "../../store/engine/sqlite/sqlite-code.ts"
import { asBackupFault } from "../backup/backup-fault.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { asConfigRefusal, databaseFile } from "../inputs.ts"
import { withTemporaryFolder } from "../temporary-folder.ts"

export const command: Command = {
  name: "upgrade check",
  summary: "say whether this release opens a data directory, database or backup, and what it would change",
  operands: "FILE",
  flags: { ...JSON_FLAG },
  examples: ["upgrade check ./data"],
  async run(input) {
    const [given = ""] = input.operands
    const server = serverOf(input, resolve(given))
    if (server !== null) return onServer(input, server)
    const path = databaseIn(resolve(given))
    try {
      if (endOf(path) === "FOREIGN") return onFile(input, path, path)
      return await withTemporaryFolder(path, async (folder) => {
        input.progress.step({ what: "unpacking the backup", unit: "bytes" })
        await unpackBackup(path, folder, { passphrase: null, work: input.progress })
        return onFile(input, path, join(folder, DATABASE_NAME))
      })
    } catch (error) {
      throw asBackupFault(error)
    }
  },
}

/** `given`: the file of which the question is. `database`: itself, or what was unpacked from it. */
function onFile(input: Input, given: string, database: string): ExitCode {
  const pending = pendingIn(database)
  const { size } = statSync(database)
  const { bavail, bsize } = statfsSync(dirname(given))
  const copies = `the database first: ${size} bytes, ${bavail * bsize} are free. bizauth restore --before-upgrade puts the copy back`
  return answer(input, { name: "it", pending, copyBytes: size, copies })
}

/** Where the database of a data directory is, if a server keeps it. */
function serverOf(input: Input, path: string): DatabasePlace | null {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  const named = databaseFile(input, path)
  return named === null ? null : databasePlace(dataPaths(path), named)
}

async function onServer(input: Input, place: DatabasePlace): Promise<ExitCode> {
  const database = await readDatabase(place).catch((error: unknown) => {
    throw asConfigRefusal(error)
  })
  try {
    const pending = (await database.pendingMigrations()).map(({ name }) => name)
    const copies = "nothing: make a backup with PostgreSQL's own tools first"
    return answer(input, { name: database.names.name, pending, copyBytes: 0, copies })
  } catch (error) {
    throw error instanceof SchemaMismatch ? new CommandError(EXIT.DATA, error.message) : error
  } finally {
    database.close()
  }
}

interface Opens {
  readonly name: string
  /** Names of migrations. */
  readonly pending: readonly string[]
  /** Bytes that an upgrade copies first, and what it says of them. */
  readonly copyBytes: number
  readonly copies: string
}

function answer(input: Input, { name: opened, pending, copyBytes, copies }: Opens): ExitCode {
  const isNewest = pending.length === 0
  const applied = migrations.length - pending.length
  const changes = pending.map((name) => ({ name, what: firstSentence(name) }))
  input.result(
    { opens: true, version: VERSION, schema: applied, pending: changes, copy_bytes: isNewest ? 0 : copyBytes },
    `ok       bizauth ${VERSION} opens ${opened}; its schema is ${applied} of ${migrations.length}
${changes.map(({ name, what }) => `applies  ${name}: ${what}\n`).join("")}${isNewest ? "changes  nothing\n" : `copies   ${copies}\n`}`,
  )
  return EXIT.DONE
}

function databaseIn(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new CommandError(EXIT.NOT_CHECKED, `${path} does not exist`)
  const file = found.isDirectory() ? join(path, DATABASE_NAME) : path
  if (existsSync(file)) return file
  throw new CommandError(EXIT.NOT_CHECKED, `${path} holds no ${DATABASE_NAME}`)
}

/** Throws CommandError (4) for a file that cannot be read. */
function endOf(path: string): JudgedEnd["state"] {
  try {
    return judgeEnd(path).state
  } catch (error) {
    throw new CommandError(EXIT.NOT_CHECKED, `${path}: ${readFault(error)}`)
  }
}

/** Throws CommandError (4) for a file that is no database. */
function pendingIn(path: string): readonly string[] {
  try {
    return requireKnownSchema(path)
  } catch (error) {
    if (directCode(error) !== "SQLITE_NOTADB") throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is neither a database nor a backup of bizauth`)
  }
}

/** The first sentence of a migration, from the comment that it begins with. */
function firstSentence(name: string): string {
  const comment = migrations.find((one) => one.name === name)?.sql.match(/^(-- .*\n)+/)?.[0] ?? ""
  const text = comment.replaceAll(/^-- /gm, "").replaceAll("\n", " ").trim()
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? (text || "no description")
}
