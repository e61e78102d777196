/** The settings of the job rail, and their faults that need neither network nor computation to find. */
import { type Config, ConfigError } from "../base/config.ts"
import { secretOf } from "../base/secret-setting.ts"
import type { EvmAddress } from "../base/setting-kinds.ts"
import type { SignInScheme } from "./hub/sign-in.ts"

export interface JobSettings {
  readonly hubUrl: string
  readonly signIn: SignInScheme
  /** Text of the provider's key file. */
  readonly providerKey: `0x${string}`
  readonly offeringId: string
  readonly channel: string
  readonly contract: EvmAddress
  readonly implementations: readonly EvmAddress[]
}

/**
 * Returns null if no jobs are served. Reads the provider's key file. Throws {@link ConfigError} with every fault, because nothing is served
 * with an incomplete configuration.
 */
export function jobSettings(config: Config): JobSettings | null {
  if (!config.acp_jobs) return null
  const providerKey = providerKeyOf(config)
  const offeringId = config.acp_offering_id
  const faults = [
    ...(config.payments === "off" ? ["acp_jobs = on needs payments = test or live, because jobs use its nodes"] : []),
    ...(config.acp_provider_key_file === config.relayer_key_file && config.relayer_key_file !== null
      ? ["acp_provider_key_file and relayer_key_file must be two keys: each wallet counts its own transactions"]
      : []),
    ...(providerKey === null
      ? ["acp_provider_key_file must hold a 32-byte key as 0x and 64 hex digits, with acp_jobs = on"]
      : []),
    ...(offeringId === null ? ["acp_offering_id is needed with acp_jobs = on"] : []),
    ...(config.acp_implementations.length === 0 ? ["acp_implementations is needed with acp_jobs = on"] : []),
  ]
  if (faults.length > 0 || providerKey === null || offeringId === null) throw new ConfigError(faults.join("\n"))
  return {
    hubUrl: config.acp_hub_url,
    signIn: config.acp_hub_sign_in,
    providerKey,
    offeringId,
    channel: config.acp_channel,
    contract: config.acp_contract,
    implementations: config.acp_implementations,
  }
}

function providerKeyOf(config: Config): `0x${string}` | null {
  const text = secretOf(config, "acp_provider_key_file")
  return text !== null && /^0x[0-9a-fA-F]{64}$/.test(text) ? (text as `0x${string}`) : null
}
