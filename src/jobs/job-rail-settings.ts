/** Reads the settings of the job rail from the configuration. */

import { type Config, ConfigError } from "../base/config.ts"
import { readSecretFile, SecretFileError } from "../base/secret-file.ts"
import { commaList } from "../core/text/comma-list.ts"
import type { JobSettings } from "./job-settings.ts"
import { jobSettingFaults } from "./job-settings.ts"

/**
 * Returns null if no jobs are served. Reads the provider's key file. Throws {@link ConfigError} with every fault, because nothing is served
 * with an incomplete configuration.
 */
export function jobRailSettings(config: Config): JobSettings | null {
  if (config.acp_jobs === "off") return null
  const settings: JobSettings = {
    hubUrl: config.acp_hub_url,
    signIn: config.acp_hub_sign_in === "personal_sign" ? "personal_sign" : "eip712",
    providerKey: config.acp_provider_key_file === "" ? "" : keyText(config.acp_provider_key_file),
    offeringId: config.acp_offering_id,
    channel: config.acp_channel,
    contract: config.acp_contract.toLowerCase(),
    implementations: commaList(config.acp_implementations).map((address) => address.toLowerCase()),
  }
  const faults = [
    ...(config.payments === "off" ? ["acp_jobs = on needs payments = test or live, because jobs use its nodes"] : []),
    ...(config.acp_provider_key_file === config.relayer_key_file && config.relayer_key_file !== ""
      ? ["acp_provider_key_file and relayer_key_file must be two keys: each wallet counts its own transactions"]
      : []),
    ...jobSettingFaults(settings),
  ]
  if (faults.length > 0) throw new ConfigError(faults.join("\n"))
  return settings
}

function keyText(path: string): string {
  try {
    return new TextDecoder().decode(readSecretFile(path))
  } catch (error) {
    throw error instanceof SecretFileError ? new ConfigError(`acp_provider_key_file: ${error.message}`) : error
  }
}
