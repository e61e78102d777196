/** Input that several commands share: the settings, and the data directory with its exit codes. */
import { existsSync } from "node:fs"
import { ConfigError, type ResolvedConfig, resolveConfig } from "../base/config.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { realMachine } from "../base/machine.ts"
import { settings } from "../base/settings.ts"
import { type DataDirectory, DataDirectoryError, type OpenOptions, openDataDirectory } from "../data/data-directory.ts"
import { dataPaths } from "../data/data-paths.ts"
import { DATA_FLAG, type Flag, type Input } from "./command.ts"
import { readConfigFile } from "./config/config-file.ts"
import { shellFlag } from "./rows.ts"

/** One flag for each setting, generated from the settings table. */
export const SETTING_FLAGS: Readonly<Record<string, Flag>> = Object.fromEntries(
  Object.entries(settings).map(([name, { help, default: value }]) => [
    name.replaceAll("_", "-"),
    { help: value === "" ? help : `${help} (default ${value})`, value: "VALUE", isSetting: true },
  ]),
)

export const CONFIG_FLAGS: Readonly<Record<string, Flag>> = {
  ...DATA_FLAG,
  config: { help: "configuration file (or BIZAUTH_CONFIG); default DIR/bizauth.toml", value: "FILE" },
  ...SETTING_FLAGS,
}

interface ReadSettings extends ResolvedConfig {
  readonly file: string | null
}

/** Reads flag, environment, file and default, in this order. Exits with 6 and all faults at once. `data`: the folder of the default file. */
export function readSettings(input: Input, data = dataArgument(input)): ReadSettings {
  try {
    const path = configPath(input, data)
    const file = path === null ? null : readConfigFile(path)
    const resolved = resolveConfig({
      flags: input.values,
      environment: input.environment,
      file: file?.values ?? null,
      ...(file ? { lineOf: file.lineOf } : {}),
    })
    return { ...resolved, file: path }
  } catch (error) {
    throw asConfigRefusal(error)
  }
}

export function asConfigRefusal(error: unknown): unknown {
  return error instanceof ConfigError ? new CommandError(EXIT.CONFIG, error.message) : error
}

/** The configuration file that a command changes. Exits with 2 without a name and without a data directory. */
export function configurationPath(input: Input): string {
  return input.text("config") ?? input.environment["BIZAUTH_CONFIG"] ?? dataPaths(needData(input)).configuration
}

/** A file that was named must exist. The default one in the data directory may be missing. */
function configPath(input: Input, data: string | undefined): string | null {
  const named = input.text("config") ?? input.environment["BIZAUTH_CONFIG"]
  if (named !== undefined) return named
  if (data === undefined) return null
  const { configuration } = dataPaths(data)
  return existsSync(configuration) ? configuration : null
}

/**
 * The setting `database_file`, read alone: a command that needs no other setting works beside one with a fault. Null if the database is a file
 * of the data directory. `data`: that directory.
 */
export function databaseFile(input: Input, data = dataArgument(input)): string | null {
  const given = input.text("database-file") ?? input.environment["BIZAUTH_DATABASE_FILE"]
  if (given !== undefined) return given === "" ? null : given
  const path = configPath(input, data)
  if (path === null) return null
  try {
    const { database_file: named } = readConfigFile(path).values
    return typeof named === "string" && named !== "" ? named : null
  } catch (error) {
    // A directory that has a database file is not on a server, whatever its configuration says.
    if (error instanceof ConfigError && data !== undefined && existsSync(dataPaths(data).database)) return null
    throw asConfigRefusal(error)
  }
}

/** Exits with 2 if a server keeps the database: the command works on the file of a database alone. `instead`: what does it there. */
export function requireDatabaseInFile(input: Input, instead: string): void {
  if (databaseFile(input) === null) return
  throw new CommandError(
    EXIT.USAGE,
    `database_file names a PostgreSQL database, and this works on a database in a file: ${instead}`,
  )
}

/** `--data` or BIZAUTH_DATA. */
export function dataArgument(input: Input): string | undefined {
  return input.text("data") ?? input.environment["BIZAUTH_DATA"]
}

/** Returns `--data` or BIZAUTH_DATA. Exits with 2 without either, because a guessed directory leads to lost databases. */
export function needData(input: Input): string {
  const directory = dataArgument(input)
  if (directory === undefined) throw new CommandError(EXIT.USAGE, "--data DIR is needed (or BIZAUTH_DATA)")
  return directory
}

/** The flags that name the data directory and the configuration file of this command, for a command that a person copies. */
export function placeFlags(input: Input, asWritten: (path: string) => string = (path) => path): string {
  const config = input.text("config")
  return [
    shellFlag("data", asWritten(needData(input))),
    ...(config === undefined ? [] : [shellFlag("config", asWritten(config))]),
  ].join(" ")
}

/** Opens the data directory for one command. Exits with 7 if it cannot be used. `databaseFile`: of a caller that has read the settings. */
export async function openData(
  input: Input,
  { databaseFile: named, ...options }: Partial<Omit<OpenOptions, "machine" | "known">> = {},
): Promise<DataDirectory> {
  try {
    const opened = await openDataDirectory(needData(input), {
      machine: realMachine,
      migrate: false,
      onFatal: rethrow,
      databaseFile: named === undefined ? databaseFile(input) : named,
      ...options,
    })
    // `serve` logs the notices itself.
    if (!options.migrate) for (const notice of opened.notices) input.err(`note: ${notice}\n`)
    return opened
  } catch (error) {
    throw asConfigRefusal(asDataRefusal(error))
  }
}

export function asDataRefusal(error: unknown): unknown {
  return error instanceof DataDirectoryError ? new CommandError(EXIT.DATA, error.message) : error
}

/** A one-shot command holds no memory state that could be ahead of the disk, so a failed commit only fails the command. */
function rethrow(error: unknown): never {
  throw error
}
