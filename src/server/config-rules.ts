/**
 * Rules between settings, and between settings and the data directory, that are checked before the service serves. `serve` and `config
 * check` use the same list. The format of a single setting is checked in its declaration.
 */

import { adminSettings } from "../admin/admin-settings.ts"
import { type Config, ConfigError } from "../base/config.ts"
import { isLoopbackName } from "../base/loopback.ts"
import type { Machine } from "../base/machine.ts"
import { secretOf } from "../base/secret-setting.ts"
import { mailSettings } from "../contact/mail/mail-settings.ts"
import { backupPlan } from "../data/backup/backup-plan.ts"
import type { Environment } from "../data/data-directory.ts"
import { jobSettings } from "../jobs/job-settings.ts"
import { loadPayments } from "../payments/load-payments.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { paymentSettings } from "../payments/payment-settings.ts"
import { SOURCE_IDS } from "../sources/records/party.ts"
import { REGISTER_IDS } from "../sources/records/register-id.ts"

/** `environment` is that of the data directory; null if no directory was named or it cannot be used. */
type Rule = (config: Config, environment: Environment | null) => readonly string[]

const RULES: readonly Rule[] = [
  // A data directory is made for one environment (rulings 40), so that test money never meets live keys.
  ({ payments }, environment) =>
    environment === null || payments === "off" || payments === environment
      ? []
      : [`payments = ${payments}, but this data directory was made for ${environment}`],
  (config) => faultsOf(() => paymentSettings(config, SERVED_NETWORK)),
  (config) => faultsOf(() => jobSettings(config)),
  (config) => faultsOf(() => mailSettings(config)),
  (config) => faultsOf(() => backupPlan(config)),
  (config) => faultsOf(() => adminSettings(config)),
  // A rehearsal over HTTP screens for nothing on the operator's lists.
  ({ sandbox_rehearsal }, environment) =>
    sandbox_rehearsal && environment === "live"
      ? ["sandbox_rehearsal = on, but this data directory was made for live: use bizauth rehearse there"]
      : [],
  // The interface counts the agent-commerce channel among the six.
  ({ acp_channel, agent_id_channels }) =>
    agent_id_channels.slugs.includes(acp_channel)
      ? []
      : [`acp_channel = ${acp_channel} is not one of agent_id_channels: ${agent_id_channels.text}`],
  // A misspelt id would leave a source enabled that the operator wants to disable, so it is an error and not a warning.
  ({ sources_disabled }) => {
    const unknown = sources_disabled.filter((id) => !KNOWN_SOURCES.includes(id))
    return unknown.length === 0
      ? []
      : [`sources_disabled: unknown source ${unknown.join(", ")}; known: ${KNOWN_SOURCES.join(", ")}`]
  },
  // With pinned keys no publisher's file may be used, so every fetch would fail.
  ({ sources_fetch, source_manifest_keys }) =>
    sources_fetch && source_manifest_keys !== null
      ? [
          "sources_fetch = on, but source_manifest_keys allows signed snapshots alone, and no publisher signs: unset one of them",
        ]
      : [],
  (config) => faultsOf(() => secretOf(config, "uk_companies_house_key_file")),
]

const KNOWN_SOURCES: readonly string[] = [...SOURCE_IDS, ...REGISTER_IDS]

/** Returns every fault at once; empty if the service may use the settings. */
export function configFaults(config: Config, environment: Environment | null): string[] {
  return RULES.flatMap((rule) => rule(config, environment))
}

/** Throws {@link ConfigError} that lists every fault. */
export function requireServable(config: Config, environment: Environment): void {
  const faults = configFaults(config, environment)
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
}

/**
 * Returns the faults that show once the relayer's address is derived, which takes some tens of milliseconds. Throws {@link ConfigError} for
 * settings with other faults.
 */
export async function relayerFaults(config: Config, machine: Pick<Machine, "monotonic">): Promise<readonly string[]> {
  const settings = paymentSettings(config, SERVED_NETWORK)
  return settings === null ? [] : await loadPayments(settings, machine).then(() => [], faultLines)
}

/** Returns the ids of the disabled sources and registers. */
export function disabledSources({ sources_disabled }: Config): readonly string[] {
  return KNOWN_SOURCES.filter((id) => sources_disabled.includes(id))
}

function faultsOf(read: () => unknown): readonly string[] {
  try {
    read()
    return []
  } catch (error) {
    return faultLines(error)
  }
}

function faultLines(error: unknown): readonly string[] {
  if (error instanceof ConfigError) return error.message.split("\n")
  throw error
}

/**
 * Returns true if the service listens beyond loopback without a named proxy. Then either clients come without TLS, or an unnamed proxy is
 * the single client that all limits count.
 */
export function isProxyUnnamed({ listen, trusted_proxies }: Config, environment: Environment): boolean {
  return environment === "live" && trusted_proxies.isEmpty && !isLoopbackName(listen.host)
}
