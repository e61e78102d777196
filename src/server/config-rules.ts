/**
 * Reads what each part of a service takes from the settings, and applies the rules between settings, and between settings and the data
 * directory. `serve` and `config check` use the same rules. The format of a single setting is checked in its declaration.
 */

import { adminSettings } from "../admin/admin-settings.ts"
import { type Config, ConfigError } from "../base/config.ts"
import { UNIX } from "../base/listen-address.ts"
import { isLoopbackName } from "../base/loopback.ts"
import type { Machine } from "../base/machine.ts"
import { secretOf } from "../base/secret-setting.ts"
import { socketPathFault } from "../base/unix-socket.ts"
import { type MailSettings, mailSettings } from "../contact/mail/mail-settings.ts"
import { type BackupPlan, backupPlan } from "../data/backup/backup-plan.ts"
import type { Environment } from "../data/data-directory.ts"
import { requireDatabaseFile } from "../data/database-place.ts"
import { deskSettings } from "../desk/desk-settings.ts"
import { type JobSettings, jobSettings } from "../jobs/job-settings.ts"
import { loadPayments } from "../payments/load-payments.ts"
import type { Network } from "../payments/networks/network.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { type PaymentSettings, paymentSettings } from "../payments/payment-settings.ts"
import { SOURCE_IDS } from "../sources/records/party.ts"
import { REGISTER_IDS } from "../sources/records/register-id.ts"

/** What each part of a service takes from the configuration. Null for a part that is off. */
interface PartSettings {
  readonly payments: PaymentSettings | null
  readonly jobs: JobSettings | null
  readonly mail: MailSettings | null
  readonly backups: BackupPlan | null
  /** API key of the live register of UK companies. */
  readonly companiesHouseKey: string | null
}

interface CheckedSettings {
  /** Every fault at once; empty if the service may use the settings. */
  readonly faults: readonly string[]
  /** Null if there is a fault. */
  readonly parts: PartSettings | null
}

/** `environment` is that of the data directory; null if no directory was named or it cannot be used. */
type Rule = (config: Config, environment: Environment | null) => readonly string[]

/** A data directory is made for one environment (rulings 40), so that test money never meets live keys. */
const ONE_ENVIRONMENT: Rule = ({ payments }, environment) =>
  environment === null || payments === "off" || payments === environment
    ? []
    : [`payments = ${payments}, but this data directory was made for ${environment}`]

const RULES: readonly Rule[] = [
  // Each backup would fail.
  ({ database_file, backup_dir }) =>
    database_file !== null && backup_dir !== null
      ? ["backup_dir is set, but a PostgreSQL database has its own backup: unset backup_dir"]
      : [],
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
  socketListenFaults,
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
]

/** Why the service cannot listen on the Unix socket of `listen`; empty for another address. */
export function socketListenFaults({ listen, base_url, trusted_proxies }: Config): readonly string[] {
  if (listen.kind === "tcp") return []
  const tooLong = socketPathFault(listen.path)
  return [
    ...(tooLong === null ? [] : [`listen ${tooLong}`]),
    // Otherwise all callers would be one client, with one budget.
    ...(trusted_proxies.has(UNIX)
      ? []
      : [
          `listen = ${listen.text} is a Unix socket, whose peers have no address: add unix: to trusted_proxies, and let the proxy send the client's address in X-Forwarded-For`,
        ]),
    ...(base_url === null
      ? [`listen = ${listen.text} is a Unix socket, which has no origin: set base_url to the public origin`]
      : []),
  ]
}

const KNOWN_SOURCES: readonly string[] = [...SOURCE_IDS, ...REGISTER_IDS]

/** Reads the settings of each part once, and checks them together. */
export function checkSettings(config: Config, environment: Environment | null, network: Network): CheckedSettings {
  const faults = [...ONE_ENVIRONMENT(config, environment)]
  const read = <T>(from: () => T): T | undefined => {
    try {
      return from()
    } catch (error) {
      faults.push(...faultLines(error))
      return undefined
    }
  }
  const payments = read(() => paymentSettings(config, network))
  const jobs = read(() => jobSettings(config))
  const mail = read(() => mailSettings(config))
  const backups = read(() => backupPlan(config))
  read(() => requireDatabaseFile(config))
  read(() => adminSettings(config))
  read(() => deskSettings(config))
  faults.push(...RULES.flatMap((rule) => rule(config, environment)))
  const companiesHouseKey = read(() => secretOf(config, "uk_companies_house_key_file"))
  const hasKey = companiesHouseKey !== undefined
  const isRead = payments !== undefined && jobs !== undefined && mail !== undefined && backups !== undefined && hasKey
  return { faults, parts: isRead && faults.length === 0 ? { payments, jobs, mail, backups, companiesHouseKey } : null }
}

/** Returns every fault at once; empty if the service may use the settings. */
export function configFaults(config: Config, environment: Environment | null): readonly string[] {
  return checkSettings(config, environment, SERVED_NETWORK).faults
}

/** Throws {@link ConfigError} that lists every fault. */
export function requireServable(config: Config, environment: Environment, network: Network): PartSettings {
  const { faults, parts } = checkSettings(config, environment, network)
  if (parts === null) throw new ConfigError(faults.join("\n"))
  return parts
}

/**
 * The rule between `pay_to` and `relayer_key_file`. It derives the relayer's address, which takes some tens of milliseconds, so `serve` applies
 * it when it opens payments, once it listens.
 */
export async function relayerFaults(
  settings: PaymentSettings | null,
  machine: Pick<Machine, "monotonic">,
): Promise<readonly string[]> {
  return settings === null ? [] : await loadPayments(settings, machine).then(() => [], faultLines)
}

/** Returns the ids of the disabled sources and registers. */
export function disabledSources({ sources_disabled }: Config): readonly string[] {
  return KNOWN_SOURCES.filter((id) => sources_disabled.includes(id))
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
  return environment === "live" && trusted_proxies.isEmpty && listen.kind === "tcp" && !isLoopbackName(listen.host)
}
