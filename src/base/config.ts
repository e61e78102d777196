/**
 * Reads the settings. Precedence: flag > environment > file > default. An unknown key is an error that names the nearest known one. A secret
 * is only ever a path to a file.
 */
import { guess } from "../core/nearest.ts"
import { settings } from "./settings.ts"

export type SettingName = keyof typeof settings
export type Origin = "flag" | "environment" | "file" | "default"
export type Config = Readonly<Record<SettingName, string>>

export class ConfigError extends Error {}

export interface ConfigInput {
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Parsed configuration file, or null if there is none. */
  readonly file: Readonly<Record<string, unknown>> | null
  /** Returns the line of a key in that file, for messages. */
  readonly lineOf?: (key: string) => number | null
}

const PREFIX = "BIZAUTH_"
/** Environment variables with the service's prefix that are not settings: the test folders of published vectors and lists. */
const NOT_SETTINGS = new Set(["BIZAUTH_VECTORS", "BIZAUTH_LISTS", "BIZAUTH_DATA", "BIZAUTH_CONFIG", "BIZAUTH_BINARY"])

/** Returns all settings with their origins. Throws {@link ConfigError} that lists every fault. */
export function resolveConfig(input: ConfigInput): { config: Config; origins: Readonly<Record<SettingName, Origin>> } {
  const faults: string[] = []
  const known = Object.keys(settings) as SettingName[]
  for (const [key, value] of Object.entries(input.file ?? {})) {
    const line = input.lineOf?.(key) ?? null
    const where = line === null ? "in the file" : `in line ${line} of the file`
    if (!known.includes(key as SettingName)) {
      faults.push(`unknown key "${key}" ${where}${guess(key, known, (word) => `"${word}"`)}`)
    } else if (typeof value !== "string" && typeof value !== "number") {
      faults.push(`${key} ${where} must be a quoted text or a number`)
    }
  }
  for (const name of Object.keys(input.environment)) {
    if (!name.startsWith(PREFIX) || NOT_SETTINGS.has(name)) continue
    const key = name.slice(PREFIX.length).toLowerCase()
    // Names are case-sensitive: BIZAUTH_listen would have no effect.
    if (!known.includes(key as SettingName) || name !== variableOf(key)) {
      faults.push(`unknown variable ${name}${guess(key, known, variableOf)}`)
    }
  }
  const config = {} as Record<SettingName, string>
  const origins = {} as Record<SettingName, Origin>
  for (const name of known) {
    const [value, from] = pick(name, input)
    const fault = settings[name].check(value)
    if (fault) faults.push(`${name} (${from}) ${fault}`)
    config[name] = value
    origins[name] = from
  }
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
  return { config, origins }
}

const variableOf = (key: string): string => PREFIX + key.toUpperCase()

function pick(name: SettingName, input: ConfigInput): [string, Origin] {
  const flag = input.flags[name.replaceAll("_", "-")]
  if (flag !== undefined) return [flag, "flag"]
  const variable = input.environment[variableOf(name)]
  if (variable !== undefined) return [variable, "environment"]
  const filed = input.file?.[name]
  if (filed !== undefined) return [String(filed), "file"]
  return [settings[name].default, "default"]
}

/** Returns the configuration file that `init` writes: every key with its help, commented out unless `given` has a value. */
export function commentedFile(given: Partial<Config> = {}): string {
  return (Object.keys(settings) as SettingName[])
    .map((name) => {
      const { default: value, help } = settings[name]
      const line = `${name} = ${JSON.stringify(given[name] ?? value)}`
      return `# ${help}\n${given[name] === undefined ? "# " : ""}${line}\n`
    })
    .join("\n")
}
