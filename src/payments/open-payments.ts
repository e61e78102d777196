/** Opens payments from plain settings. Says every problem at once instead of starting half: fail closed (rulings 40). */
import { secp256k1 } from "@noble/curves/secp256k1"
import { type Address, getAddress, type Hex, isAddress } from "viem"
import type { Machine } from "../machine.ts"
import { assertEnvironment, isTrustedTransport } from "./environment.ts"
import { HandOverPace } from "./hand-over-pace.ts"
import { openHostedSettler } from "./hosted-settler.ts"
import type { Payments, Settler } from "./payments.ts"
import { openRelayer } from "./relayer.ts"
import { RelayerCount } from "./relayer-count.ts"
import { type EvmChain, openChain } from "./rpc.ts"
import { USDC_BASE } from "./usdc.ts"

export interface PaymentSettings {
  readonly mode: "test" | "live"
  readonly rpcUrl: string
  readonly secondRpcUrl: string
  readonly payTo: string
  readonly settler: "self" | "http"
  /** Text of the relayer's key file, with `settler` self. */
  readonly relayerKey: string | null
  readonly facilitatorUrl: string
  readonly ethUsd: string
  readonly burnedGasDailyWei: string
  readonly settleWaitMs: string
  readonly quoteKey: Uint8Array
}

const RPC_TIMEOUT_MS = 4_000
const FACILITATOR_TIMEOUT_MS = 20_000
/** CHOICE: 0.05 gwei of priority at most; Base usually clears below 0.01. A node that suggests more is not followed. */
const PRIORITY_FEE_MAX = 50_000_000n
/**
 * viem's curve builds a table of multiples at its first use. Its 8 bits are 4,224 points, 20 ms of every start; 4 bits are 520
 * points, 5 ms, and a signature takes 0.2 ms instead of 0.17. Also after the table exists this changes nothing but speed.
 */
const SIGNING_TABLE_BITS = 4

export type OpenedPayments =
  | { readonly ok: true; readonly payments: Payments; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** A node that does not answer now is a warning: it may come back; a wrong chain is a problem. */
export async function openPayments(
  settings: PaymentSettings,
  machine: Pick<Machine, "now" | "monotonic">,
): Promise<OpenedPayments> {
  const problems = missing(settings)
  if (problems.length > 0) return { ok: false, problems }
  const { rpcUrl, secondRpcUrl, mode } = settings
  const second = secondRpcUrl === "" ? {} : { secondRpcUrl }
  const chain = openChain({ rpcUrl, ...second, asset: USDC_BASE, timeoutMs: RPC_TIMEOUT_MS })
  const asked = assertEnvironment({ mode, rpcUrl, ...second }, chain, Math.floor(machine.now() / 1000))
  // Opened while the node is asked: the relayer's address is the longest computation of a start.
  const settler = openSettler(settings, chain, machine.monotonic)
  const found = await asked
  const unreachable = found.filter((problem) => problem.includes("did not answer"))
  if (found.length > unreachable.length) {
    return { ok: false, problems: found.filter((problem) => !unreachable.includes(problem)) }
  }
  if (typeof settler === "string") return { ok: false, problems: [settler] }
  const warnings = mode === "live" && chain.second === null ? ["live payments without a second RPC endpoint"] : []
  return {
    ok: true,
    warnings: [...warnings, ...unreachable],
    payments: {
      environment: mode,
      chain,
      payTo: getAddress(settings.payTo) as Address,
      quoteKey: settings.quoteKey,
      settler,
      gasPolicy: { ethUsdMicros: BigInt(settings.ethUsd) * 1_000_000n, priorityFeeMax: PRIORITY_FEE_MAX },
      burnedGasDailyWei: BigInt(settings.burnedGasDailyWei),
      settleWaitMs: Number(settings.settleWaitMs),
    },
  }
}

function missing({ rpcUrl, payTo, settler, relayerKey, facilitatorUrl }: PaymentSettings): string[] {
  return [
    ...(rpcUrl === "" ? ["rpc_url is needed"] : []),
    ...(isAddress(payTo, { strict: false }) ? [] : ["pay_to is needed"]),
    ...(settler === "self" && relayerKey === null ? ["relayer_key_file is needed with settler = self"] : []),
    ...(settler === "http" && !(facilitatorUrl !== "" && isTrustedTransport(facilitatorUrl))
      ? ["facilitator_url must be https or loopback with settler = http"]
      : []),
  ]
}

function openSettler(
  { settler, relayerKey, facilitatorUrl, payTo }: PaymentSettings,
  chain: EvmChain,
  monotonic: () => number,
): Settler | string {
  if (settler === "http") {
    const hosted = openHostedSettler({ url: facilitatorUrl, timeoutMs: FACILITATOR_TIMEOUT_MS })
    return { kind: "http", hosted, pace: new HandOverPace() }
  }
  const key = relayerKey?.trim() ?? ""
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) return "relayer_key_file does not hold a 32-byte key as 0x and 64 hex digits"
  secp256k1.utils.precompute(SIGNING_TABLE_BITS)
  const relayer = openRelayer(key as Hex, USDC_BASE.chainId)
  // A stolen relayer key must lose gas money only, never revenue.
  if (relayer.address.toLowerCase() === payTo.toLowerCase()) return "pay_to must not be the relayer's own address"
  return { kind: "self", relayer, count: new RelayerCount(chain, relayer.address, monotonic) }
}
