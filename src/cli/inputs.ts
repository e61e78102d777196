/** What several commands read the same way: the settings, and the data directory with the exit code its refusals have. */
import { existsSync } from "node:fs"
import { type Config, ConfigError, type Origin, resolveConfig, type SettingName, settings } from "../config.ts"
import { readConfigFile } from "../config-file.ts"
import {
  type DataDirectory,
  DataDirectoryError,
  dataPaths,
  type OpenOptions,
  openDataDirectory,
} from "../data/data-directory.ts"
import { CommandError, EXIT } from "../exit.ts"
import { realMachine } from "../machine.ts"
import { DATA_FLAG, type Flag, type Input } from "./command.ts"

/** One flag for each setting, printed from the same table as everything else about it. */
export const SETTING_FLAGS: Readonly<Record<string, Flag>> = Object.fromEntries(
  Object.entries(settings).map(([name, { help, default: value }]) => [
    name.replaceAll("_", "-"),
    { help: value === "" ? help : `${help} (default ${value})`, value: "VALUE" },
  ]),
)

export const CONFIG_FLAGS: Readonly<Record<string, Flag>> = {
  ...DATA_FLAG,
  config: { help: "configuration file (or BIZAUTH_CONFIG); default DIR/bizauth.toml", value: "FILE" },
  ...SETTING_FLAGS,
}

export interface ReadSettings {
  readonly config: Config
  readonly origins: Readonly<Record<SettingName, Origin>>
  readonly file: string | null
}

/** Flag, environment, file, default. Ends with exit 6 and every fault at once. */
export function readSettings(input: Input): ReadSettings {
  try {
    const path = configPath(input)
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

/** A file that was named must exist; the one in the data directory may be missing. */
function configPath(input: Input): string | null {
  const named = input.text("config") ?? input.environment["BIZAUTH_CONFIG"]
  if (named !== undefined) return named
  const data = dataArgument(input)
  if (data === undefined) return null
  const { configuration } = dataPaths(data)
  return existsSync(configuration) ? configuration : null
}

/** `--data` or BIZAUTH_DATA. */
export function dataArgument(input: Input): string | undefined {
  return input.text("data") ?? input.environment["BIZAUTH_DATA"]
}

/** `--data` or BIZAUTH_DATA; exit 2 without either: a guessed directory is how people lose databases. */
export function needData(input: Input): string {
  const directory = dataArgument(input)
  if (directory === undefined) throw new CommandError(EXIT.USAGE, "--data DIR is needed (or BIZAUTH_DATA)")
  return directory
}

/** Opens the data directory for one command. Ends with exit 7 when it cannot be used. */
export async function openData(
  input: Input,
  options: Partial<Omit<OpenOptions, "machine" | "known">> = {},
): Promise<DataDirectory> {
  try {
    const opened = await openDataDirectory(needData(input), {
      machine: realMachine,
      migrate: false,
      onFatal: rethrow,
      ...options,
    })
    // `serve` has a log for them.
    if (!options.migrate) for (const notice of opened.notices) input.err(`note: ${notice}\n`)
    return opened
  } catch (error) {
    throw asDataRefusal(error)
  }
}

export function asDataRefusal(error: unknown): unknown {
  return error instanceof DataDirectoryError ? new CommandError(EXIT.DATA, error.message) : error
}

/** A one-shot command holds no memory that could be ahead of the disk: its failed commit simply fails it. */
function rethrow(error: unknown): never {
  throw error
}
