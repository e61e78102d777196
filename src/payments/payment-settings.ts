/** The settings of payments, and their faults that need neither network nor computation to find. */
import { type Config, ConfigError } from "../base/config.ts"
import { secretOf } from "../base/secret-setting.ts"
import type { EvmAddress } from "../base/setting-kinds.ts"
import { isTrustedTransport, urlProblems } from "./environment.ts"
import type { Network } from "./networks/network.ts"

export interface PaymentSettings {
  readonly network: Network
  readonly mode: "test" | "live"
  readonly rpcUrl: string
  readonly secondRpcUrl: string | null
  /** Name of the person who accepts that `live` relies on one host; null when nobody does. */
  readonly singleNodeAcceptedBy: string | null
  readonly payTo: EvmAddress
  readonly settler: SettlerSettings
  /** Whole USD for one ether. */
  readonly ethUsd: number
  readonly burnedGasDailyWei: bigint
  readonly settleWaitMs: number
}

type SettlerSettings =
  | { readonly kind: "self"; readonly relayerKey: RelayerKey }
  | { readonly kind: "http"; readonly facilitatorUrl: string }

type RelayerKey = `0x${string}`

/**
 * Returns null if payments are off. Reads the relayer's key file. Throws {@link ConfigError} with every fault that needs no network or
 * computation to detect and without any setting's value, because nothing is sold with an incomplete configuration.
 */
export function paymentSettings(config: Config, network: Network): PaymentSettings | null {
  const { payments: mode, rpc_url: rpcUrl, rpc_url_second: secondRpcUrl, pay_to: payTo } = config
  if (mode === "off") return null
  const settler = settlerOf(config, secretOf(config, "relayer_key_file"))
  const faults = [
    ...(rpcUrl === null ? ["rpc_url is needed"] : urlProblems({ mode, rpcUrl, secondRpcUrl }, network)),
    ...(payTo === null ? ["pay_to is needed"] : []),
    ...(typeof settler === "string" ? [settler] : []),
  ]
  if (faults.length > 0 || rpcUrl === null || payTo === null || typeof settler === "string") {
    throw new ConfigError(faults.join("\n"))
  }
  return {
    network,
    mode,
    rpcUrl,
    secondRpcUrl,
    singleNodeAcceptedBy: config.single_node_accepted_by,
    payTo,
    settler,
    ethUsd: config.eth_usd,
    burnedGasDailyWei: config.reverted_gas_daily_wei,
    settleWaitMs: config.settle_wait_ms,
  }
}

/** Returns the fault as a text. */
function settlerOf(
  { settler, facilitator_url: facilitatorUrl }: Config,
  relayerKey: string | null,
): SettlerSettings | string {
  if (settler === "http") {
    return facilitatorUrl !== null && isTrustedTransport(facilitatorUrl)
      ? { kind: "http", facilitatorUrl }
      : "facilitator_url must be https or loopback with settler = http"
  }
  if (relayerKey === null) return "relayer_key_file is needed with settler = self"
  return isRelayerKey(relayerKey)
    ? { kind: "self", relayerKey }
    : "relayer_key_file does not hold a 32-byte key as 0x and 64 hex digits"
}

/** Order of the curve secp256k1. A private key lies between zero and this. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function isRelayerKey(key: string): key is RelayerKey {
  return /^0x[0-9a-fA-F]{64}$/.test(key) && BigInt(key) > 0n && BigInt(key) < CURVE_ORDER
}
