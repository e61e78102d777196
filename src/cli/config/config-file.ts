import { existsSync, readFileSync, type Stats, statSync } from "node:fs"
import { ConfigError } from "../../base/config.ts"
import { readFault } from "../../base/system-fault.ts"
import { modeText } from "../../data/file-modes.ts"

interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>
  readonly lineOf: (key: string) => number | null
}

const NO_FILE: ConfigFile = { values: {}, lineOf: () => null }

/**
 * Reads a TOML file. Throws {@link ConfigError} if it cannot be read, is not TOML, or others can read it. `mayBeMissing`: a file that is not there
 * is empty.
 */
export function readConfigFile(path: string, { mayBeMissing = false } = {}): ConfigFile {
  if (mayBeMissing && !existsSync(path)) return NO_FILE
  let text: string
  let found: Stats
  try {
    text = readFileSync(path, "utf8")
    found = statSync(path)
  } catch (error) {
    throw new ConfigError(`cannot read the configuration file ${path}: ${readFault(error)}`)
  }
  let values: Record<string, unknown>
  try {
    values = Bun.TOML.parse(text) as Record<string, unknown>
  } catch (error) {
    throw new ConfigError(`${path} is not TOML: ${error instanceof Error ? error.message : "syntax error"}`)
  }
  if (found.isFile()) requireModes(path, found.mode, values)
  const lines = text.split("\n")
  const lineOf = (key: string) => {
    const index = lines.findIndex((line) => /^\s*\[*"?([A-Za-z0-9_-]+)/.exec(line)?.[1] === key)
    return index < 0 ? null : index + 1
  }
  return { values, lineOf }
}

/** Providers put a customer's key into these: in the path, the query or the user name. */
const KEYED = ["rpc_url", "rpc_url_second"]

/** CHOICE: the group may read a configuration file, because root often owns the file and the service reads it through its group. */
function requireModes(path: string, mode: number, values: Readonly<Record<string, unknown>>): void {
  if ((mode & 0o022) !== 0) {
    throw new ConfigError(
      `${path} can be changed by other users (mode ${modeText(mode)}), who would decide where payments go; fix it with: chmod go-w ${path}`,
    )
  }
  const keyed = KEYED.find((name) => holdsKey(values[name]))
  if ((mode & 0o004) === 0 || keyed === undefined) return
  throw new ConfigError(
    `${keyed} may hold a key, and every user may read ${path} (mode ${modeText(mode)}); fix it with: chmod o-r ${path}`,
  )
}

function holdsKey(value: unknown): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null
  return url !== null && (url.pathname.length > 1 || url.search !== "" || url.username !== "" || url.password !== "")
}
