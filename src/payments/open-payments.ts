/** Opens payments from settings, without a network query. `readiness.ts` queries the nodes, and nothing is sold before that. */
import { secp256k1 } from "@noble/curves/secp256k1"
import { type Address, getAddress, type Hex } from "viem"
import type { Machine } from "../base/machine.ts"
import { HandOverPace } from "./hand-over-pace.ts"
import { openHostedSettler } from "./hosted-settler.ts"
import { type PaymentSettings, settingProblems } from "./payment-settings.ts"
import type { Payments, Settler } from "./payments.ts"
import { openRelayer } from "./relayer.ts"
import { RelayerCount } from "./relayer-count.ts"
import { type EvmChain, openChain } from "./rpc.ts"

const RPC_TIMEOUT_MS = 4_000
const FACILITATOR_TIMEOUT_MS = 20_000
/**
 * viem's curve builds a table of multiples at its first use. With 8 bits it has 4,224 points and takes 20 ms; with 4 bits 520 points and 5
 * ms, and a signature takes 0.2 ms instead of 0.17. If the table exists already, this changes only speed.
 */
const SIGNING_TABLE_BITS = 4

export type OpenedPayments =
  | { readonly ok: true; readonly payments: Payments }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Returns all problems at once and opens nothing when there are any (fail closed, rulings 40). */
export function openPayments(settings: PaymentSettings, machine: Pick<Machine, "monotonic">): OpenedPayments {
  const problems = settingProblems(settings)
  const { network, rpcUrl, secondRpcUrl, payTo, mode } = settings
  if (problems.length > 0 || rpcUrl === null || payTo === null) return { ok: false, problems }
  const chain = openChain({ rpcUrl, secondRpcUrl, network, timeoutMs: RPC_TIMEOUT_MS })
  const settler = openSettler(settings, chain, machine.monotonic)
  if (settler === null) return { ok: false, problems: ["pay_to must not be the relayer's own address"] }
  return {
    ok: true,
    payments: {
      environment: mode,
      chain,
      payTo: getAddress(payTo) as Address,
      settler,
      gasPolicy: { ethUsdMicros: BigInt(settings.ethUsd) * 1_000_000n, priorityFeeMax: network.gas.priorityFeeMax },
      burnedGasDailyWei: settings.burnedGasDailyWei,
      settleWaitMs: settings.settleWaitMs,
    },
  }
}

/** Null when the relayer is also the payee: a stolen relayer key may cost gas money but never revenue. */
function openSettler(
  { settler, relayerKey, facilitatorUrl, payTo }: PaymentSettings,
  chain: EvmChain,
  monotonic: () => number,
): Settler | null {
  if (settler === "http") {
    const hosted = openHostedSettler({ url: facilitatorUrl ?? "", timeoutMs: FACILITATOR_TIMEOUT_MS })
    return { kind: "http", hosted, pace: new HandOverPace() }
  }
  secp256k1.utils.precompute(SIGNING_TABLE_BITS)
  const relayer = openRelayer((relayerKey ?? "") as Hex, chain.asset.chainId)
  if (relayer.address.toLowerCase() === payTo) return null
  return { kind: "self", relayer, count: new RelayerCount(chain, relayer.address, monotonic) }
}
