/** The settings of payments, and their faults that need neither network nor computation to find. */
import { isTrustedTransport, urlProblems } from "./environment.ts"
import { USDC_BASE } from "./usdc.ts"

export interface PaymentSettings {
  readonly mode: "test" | "live"
  readonly rpcUrl: string
  readonly secondRpcUrl: string
  /** Name of the person who accepts that `live` relies on one host; empty when nobody does. */
  readonly singleNodeAcceptedBy: string
  readonly payTo: string
  readonly settler: "self" | "http"
  /** Text of the relayer's key file, when `settler` is self. */
  readonly relayerKey: string | null
  readonly facilitatorUrl: string
  readonly ethUsd: string
  readonly burnedGasDailyWei: string
  readonly settleWaitMs: string
  readonly quoteKey: Uint8Array
}

/** All problems at once, without any setting's value; empty when payments may open with these settings. */
export function settingProblems(settings: PaymentSettings): string[] {
  const { mode, rpcUrl, secondRpcUrl, payTo, settler, relayerKey, facilitatorUrl } = settings
  const second = secondRpcUrl === "" ? {} : { secondRpcUrl }
  return [
    ...(rpcUrl === "" ? ["rpc_url is needed"] : urlProblems({ mode, rpcUrl, ...second }, USDC_BASE)),
    ...(/^0x[0-9a-fA-F]{40}$/.test(payTo) ? [] : ["pay_to is needed"]),
    ...(settler === "self" ? keyProblems(relayerKey) : []),
    ...(settler === "http" && !(facilitatorUrl !== "" && isTrustedTransport(facilitatorUrl))
      ? ["facilitator_url must be https or loopback with settler = http"]
      : []),
  ]
}

function keyProblems(key: string | null): string[] {
  if (key === null) return ["relayer_key_file is needed with settler = self"]
  return isRelayerKey(key.trim()) ? [] : ["relayer_key_file does not hold a 32-byte key as 0x and 64 hex digits"]
}

/** Order of the curve secp256k1. A private key lies between zero and this. */
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function isRelayerKey(key: string): boolean {
  return /^0x[0-9a-fA-F]{64}$/.test(key) && BigInt(key) > 0n && BigInt(key) < CURVE_ORDER
}
