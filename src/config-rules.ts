/**
 * What must hold between settings, and between them and the data directory, before anything is served. One list for `serve` and for
 * `config check`; the form of each single setting is checked where it is declared.
 */
import { companiesHouseKey } from "./companies-house.ts"
import { type Config, ConfigError, commaList } from "./config.ts"
import type { Environment } from "./data/data-directory.ts"
import { sellingSettings } from "./selling-settings.ts"
import { SOURCE_IDS } from "./sources/records/party.ts"
import { REGISTER_IDS } from "./sources/records/register-id.ts"

/** `environment` is that of the data directory; null where no directory was named or it cannot be used. */
type Rule = (config: Config, environment: Environment | null) => readonly string[]

const RULES: readonly Rule[] = [
  // A data directory is made for one environment (rulings 40): test money never meets live keys.
  ({ payments }, environment) =>
    environment === null || payments === "off" || payments === environment
      ? []
      : [`payments = ${payments}, but this data directory was made for ${environment}`],
  (config) => faultsOf(() => sellingSettings(config, new Uint8Array())),
  // A misspelt id would leave on what an operator means to be off: that is refused, not warned of.
  ({ sources_disabled }) => {
    const unknown = commaList(sources_disabled).filter((id) => !KNOWN_SOURCES.includes(id))
    return unknown.length === 0
      ? []
      : [`sources_disabled: unknown source ${unknown.join(", ")}; known: ${KNOWN_SOURCES.join(", ")}`]
  },
  // With pinned keys no publisher's answer may be used, so asking for it would fail for ever.
  ({ sources_fetch, source_manifest_keys }) =>
    sources_fetch === "on" && source_manifest_keys !== ""
      ? [
          "sources_fetch = on, but source_manifest_keys allows signed snapshots alone, and no publisher signs: unset one of them",
        ]
      : [],
  ({ uk_companies_house_key_file: path }) => (path === "" ? [] : faultsOf(() => companiesHouseKey(path))),
]

const KNOWN_SOURCES: readonly string[] = [...SOURCE_IDS, ...REGISTER_IDS]

/** Every fault at once; empty when the settings may be served. */
export function configFaults(config: Config, environment: Environment | null): string[] {
  return RULES.flatMap((rule) => rule(config, environment))
}

/** Throws {@link ConfigError} with every fault. */
export function requireServable(config: Config, environment: Environment): void {
  const faults = configFaults(config, environment)
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
}

/** Ids of the sources and registers that are switched off. */
export function disabledSources({ sources_disabled }: Config): readonly string[] {
  const named = commaList(sources_disabled)
  return KNOWN_SOURCES.filter((id) => named.includes(id))
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n")
    throw error
  }
}
