/** The settings of payments, and their faults that need neither network nor computation to find. */
import { type Config, ConfigError } from "../base/config.ts"
import { secretOf } from "../base/secret-setting.ts"
import type { EvmAddress } from "../base/setting-kinds.ts"
import { isTrustedTransport, urlProblems } from "./environment.ts"
import type { Network } from "./networks/network.ts"

export interface PaymentSettings {
  readonly network: Network
  readonly mode: "test" | "live"
  readonly rpcUrl: string | null
  readonly secondRpcUrl: string | null
  /** Name of the person who accepts that `live` relies on one host; null when nobody does. */
  readonly singleNodeAcceptedBy: string | null
  readonly payTo: EvmAddress | null
  readonly settler: "self" | "http"
  /** Text of the relayer's key file, when `settler` is self. */
  readonly relayerKey: string | null
  readonly facilitatorUrl: string | null
  /** Whole USD for one ether. */
  readonly ethUsd: number
  readonly burnedGasDailyWei: bigint
  readonly settleWaitMs: number
}

/**
 * Returns null if payments are off. Reads the relayer's key file. Throws {@link ConfigError} with every fault that needs no network or
 * computation to detect, because nothing is sold with an incomplete configuration.
 */
export function paymentSettings(config: Config, network: Network): PaymentSettings | null {
  if (config.payments === "off") return null
  const settings: PaymentSettings = {
    network,
    mode: config.payments,
    rpcUrl: config.rpc_url,
    secondRpcUrl: config.rpc_url_second,
    singleNodeAcceptedBy: config.single_node_accepted_by,
    payTo: config.pay_to,
    settler: config.settler,
    relayerKey: secretOf(config, "relayer_key_file"),
    facilitatorUrl: config.facilitator_url,
    ethUsd: config.eth_usd,
    burnedGasDailyWei: config.reverted_gas_daily_wei,
    settleWaitMs: config.settle_wait_ms,
  }
  const problems = settingProblems(settings)
  if (problems.length > 0) throw new ConfigError(problems.join("\n"))
  return settings
}

/** All problems at once, without any setting's value; empty when payments may open with these settings. */
export function settingProblems(settings: PaymentSettings): string[] {
  const { network, mode, rpcUrl, secondRpcUrl, payTo, settler, relayerKey, facilitatorUrl } = settings
  return [
    ...(rpcUrl === null ? ["rpc_url is needed"] : urlProblems({ mode, rpcUrl, secondRpcUrl }, network)),
    ...(payTo === null ? ["pay_to is needed"] : []),
    ...(settler === "self" ? keyProblems(relayerKey) : []),
    ...(settler === "http" && !(facilitatorUrl !== null && isTrustedTransport(facilitatorUrl))
      ? ["facilitator_url must be https or loopback with settler = http"]
      : []),
  ]
}

function keyProblems(key: string | null): string[] {
  if (key === null) return ["relayer_key_file is needed with settler = self"]
  return isRelayerKey(key) ? [] : ["relayer_key_file does not hold a 32-byte key as 0x and 64 hex digits"]
}

/** Order of the curve secp256k1. A private key lies between zero and this. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function isRelayerKey(key: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(key) && BigInt(key) > 0n && BigInt(key) < CURVE_ORDER
}
