/** Where the database of a data directory is: in the directory, or on the server that a secret file names. */
import { type Config, ConfigError } from "../base/config.ts"
import { secretIn } from "../base/secret-setting.ts"
import { type DatabasePlace, urlFault } from "../store/engine/open-engine.ts"
import type { DataPaths } from "./data-paths.ts"

/** `databaseFile`: the value of the setting. */
export function databasePlace({ database }: Pick<DataPaths, "database">, databaseFile: string | null): DatabasePlace {
  return databaseFile === null
    ? { kind: "FILE", path: database }
    : { kind: "SERVER", url: () => requireUrl(databaseFile) }
}

/** Reads the secret file. Throws {@link ConfigError} with the setting's name, if it cannot be read or names no database. */
function requireUrl(databaseFile: string): string {
  const text = secretIn(databaseFile, "database_file")
  const fault = urlFault(text)
  if (fault !== null) throw new ConfigError(`database_file: ${databaseFile} ${fault}`)
  return text
}

/** Throws {@link ConfigError} as opening would. */
export function requireDatabaseFile({ database_file }: Pick<Config, "database_file">): void {
  if (database_file !== null) requireUrl(database_file)
}
