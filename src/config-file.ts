import { readFileSync } from "node:fs"
import { ConfigError } from "./config.ts"

export interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (key: string) => number | null
}

/** Reads a TOML file. Throws {@link ConfigError} when it cannot be read or is not TOML. */
export function readConfigFile(path: string): ConfigFile {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch {
    throw new ConfigError(`configuration file ${path} cannot be read`)
  }
  let values: Record<string, unknown>
  try {
    values = Bun.TOML.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new ConfigError(`${path} is not TOML: ${error instanceof Error ? error.message : "syntax error"}`)
  }
  const lines = text.split("\n")
  const lineOf = (key: string) => {
    const index = lines.findIndex((line) => /^\s*\[*"?([A-Za-z0-9_-]+)/.exec(line)?.[1] === key)
    return index < 0 ? null : index + 1
  }
  return { values, lineOf }
}
