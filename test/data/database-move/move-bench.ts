/** What the tests of moves share: a filled directory, an empty database, and processes that are killed. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Machine } from "../../../src/base/machine.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { type DataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import type { DataPaths } from "../../../src/data/data-paths.ts"
import { moveDatabase } from "../../../src/data/database-move/move-database.ts"
import type { MoveOrder } from "../../../src/data/database-move/move-places.ts"
import { readReport, reportPath } from "../../../src/data/database-move/move-report.ts"
import { newEmptyPostgresDatabase, type TestDatabase } from "../../fixtures/postgres-schema.ts"

export interface EmptyServer {
  /** File with the URL. */
  readonly file: string
  readonly url: string
  drop(): Promise<void>
}

/** An empty database on the shared server, and the secret file that names it. */
export async function emptyServer(folder: string, name = "database.url"): Promise<EmptyServer> {
  const database: TestDatabase = await newEmptyPostgresDatabase()
  const file = join(folder, name)
  writeFileSync(file, database.url, { mode: 0o600 })
  return { file, ...database }
}

/** As the command makes it. */
export function orderTo(paths: DataPaths, to: string | null): MoveOrder {
  return { paths, from: configured(paths), to, configuration: paths.configuration }
}

/** The value of `database_file` in the configuration. */
export function configured({ configuration }: DataPaths): string | null {
  const { database_file } = Bun.TOML.parse(readFileSync(configuration, "utf8")) as { database_file?: string }
  return database_file ?? null
}

export async function moveTo(paths: DataPaths, to: string | null, machine: Machine = realMachine) {
  return (await moveDatabase(orderTo(paths, to), { machine })).report
}

export function reportOf({ directory }: DataPaths) {
  const report = readReport(reportPath(directory))
  if (report === null) throw new Error("no report")
  return report
}

/** Opens the directory as `serve` does, where its configuration says. */
export async function openedAsConfigured<T>(paths: DataPaths, look: (data: DataDirectory) => Promise<T>): Promise<T> {
  const data = await openDataDirectory(paths.directory, {
    machine: realMachine,
    migrate: true,
    databaseFile: configured(paths),
    onFatal: (error) => {
      throw error
    },
  })
  try {
    return await look(data)
  } finally {
    await data.store.close()
  }
}

const PROGRAM = join(import.meta.dir, "move-process.ts")

/** Moves in a process that kills itself before a step, or at a batch after `rows`. Returns how it ended. */
export async function killedMove(
  directory: string,
  to: string | null,
  step: string,
  rows = 0,
): Promise<string | number | null> {
  const child = Bun.spawn([process.execPath, PROGRAM, directory, to ?? "", step, String(rows)], {
    stdout: "ignore",
    stderr: "inherit",
  })
  await child.exited
  return child.signalCode
}

/** Starts a move in another process, which hangs before `step`. Resolves once it hangs. `resume` returns its exit code. */
export async function hangingMove(directory: string, to: string | null, step: string) {
  const child = Bun.spawn([process.execPath, PROGRAM, directory, to ?? "", step, "0", "hang"], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  await child.stdout.getReader().read()
  return {
    pid: child.pid,
    resume(): Promise<number> {
      child.stdin.write("\n")
      child.stdin.end()
      return child.exited
    },
    kill(): Promise<number> {
      child.kill("SIGKILL")
      return child.exited
    },
  }
}
