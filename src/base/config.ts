/**
 * Reads the settings. Precedence: flag > environment > file > default. An unknown key is an error that names the nearest known one. A secret
 * is only ever a path to a file.
 */
import { guess } from "../core/nearest.ts"
import { SettingFault } from "./setting-kinds.ts"
import { settings } from "./settings.ts"

type Settings = typeof settings
export type SettingName = keyof Settings
type Origin = "flag" | "environment" | "file" | "default"

/** Every setting as its parser returned it. No code after this parses a setting again. */
export type Config = {
  readonly [N in SettingName]: Exclude<ReturnType<Settings[N]["parse"]>, SettingFault>
}

/** Settings that name a file with a secret. */
export type SecretName = {
  [N in SettingName]: Settings[N] extends { readonly isSecret: true } ? N : never
}[SettingName]

export class ConfigError extends Error {}

interface ConfigInput {
  readonly flags: Readonly<Record<string, string | undefined>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Parsed configuration file, or null if there is none. */
  readonly file: Readonly<Record<string, unknown>> | null
  /** Returns the line of a key in that file, for messages. */
  readonly lineOf?: (key: string) => number | null
}

export interface ResolvedConfig {
  readonly config: Config
  /** Every setting as it was written. */
  readonly texts: Readonly<Record<SettingName, string>>
  readonly origins: Readonly<Record<SettingName, Origin>>
}

export const SETTING_NAMES = Object.keys(settings) as readonly SettingName[]

export const SECRET_NAMES = SETTING_NAMES.filter((name): name is SecretName => "isSecret" in settings[name])

const PREFIX = "BIZAUTH_"
/** Environment variables with the service's prefix that are not settings: the test folders of published vectors and lists. */
const NOT_SETTINGS = new Set(["BIZAUTH_VECTORS", "BIZAUTH_LISTS", "BIZAUTH_DATA", "BIZAUTH_CONFIG", "BIZAUTH_BINARY"])

/** Throws {@link ConfigError} that lists every fault. */
export function resolveConfig(input: ConfigInput): ResolvedConfig {
  const faults = [...unknownKeys(input), ...unknownVariables(input)]
  const config: Partial<Record<SettingName, unknown>> = {}
  const texts = {} as Record<SettingName, string>
  const origins = {} as Record<SettingName, Origin>
  for (const name of SETTING_NAMES) {
    const [text, from] = pick(name, input)
    const value = settings[name].parse(text)
    if (value instanceof SettingFault) faults.push(`${name} (${from}) ${value.why}`)
    config[name] = value
    texts[name] = text
    origins[name] = from
  }
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
  return { config: config as Config, texts, origins }
}

/** Why a text is no value of a setting, or null. */
export function settingFault(name: SettingName, text: string): string | null {
  const value = settings[name].parse(text)
  return value instanceof SettingFault ? value.why : null
}

function unknownKeys({ file, lineOf }: ConfigInput): string[] {
  return Object.entries(file ?? {}).flatMap(([key, value]) => {
    const line = lineOf?.(key) ?? null
    const where = line === null ? "in the file" : `in line ${line} of the file`
    if (!isSetting(key)) return [`unknown key "${key}" ${where}${guess(key, SETTING_NAMES, (word) => `"${word}"`)}`]
    return typeof value === "string" || typeof value === "number"
      ? []
      : [`${key} ${where} must be a quoted text or a number`]
  })
}

function unknownVariables({ environment }: ConfigInput): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!name.startsWith(PREFIX) || NOT_SETTINGS.has(name)) return []
    const key = name.slice(PREFIX.length).toLowerCase()
    // Names are case-sensitive: BIZAUTH_listen would have no effect.
    if (isSetting(key) && name === variableOf(key)) return []
    return [`unknown variable ${name}${guess(key, SETTING_NAMES, variableOf)}`]
  })
}

const isSetting = (key: string): boolean => Object.hasOwn(settings, key)

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

/** Returns every setting at its default. */
export function defaultConfig(): Config {
  return resolveConfig({ flags: {}, environment: {}, file: null }).config
}

/** Returns the public origin, or that of the listening address as the operator wrote it. A Unix socket has none, so `serve` needs `base_url`. */
export function originOf({ base_url, listen }: Pick<Config, "base_url" | "listen">): string {
  return base_url ?? `http://${listen.kind === "unix" ? "localhost" : listen.text}`
}

/** Returns the configuration file that `init` writes: every key with its help, commented out unless `given` has a value. */
export function commentedFile(given: Partial<Record<SettingName, string>> = {}): string {
  return SETTING_NAMES.map((name) => {
    const { default: value, help } = settings[name]
    const line = `${name} = ${JSON.stringify(given[name] ?? value)}`
    return `# ${help}\n${given[name] === undefined ? "# " : ""}${line}\n`
  }).join("\n")
}
