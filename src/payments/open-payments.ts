/** Opens payments from settings, without a network query. `readiness.ts` queries the nodes, and nothing is sold before that. */
import { secp256k1 } from "@noble/curves/secp256k1"
import { type Address, getAddress } from "viem"
import { ConfigError } from "../base/config.ts"
import type { Machine } from "../base/machine.ts"
import { HandOverPace } from "./hand-over-pace.ts"
import { openHostedSettler } from "./hosted-settler.ts"
import type { PaymentSettings } from "./payment-settings.ts"
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

/**
 * Throws {@link ConfigError} if the relayer is also the payee: a stolen relayer key may cost gas money but never revenue (fail closed,
 * rulings 40).
 */
export function openPayments(settings: PaymentSettings, machine: Pick<Machine, "monotonic">): Payments {
  const { network, rpcUrl, secondRpcUrl, payTo, mode } = settings
  const chain = openChain({ rpcUrl, secondRpcUrl, network, timeoutMs: RPC_TIMEOUT_MS })
  return {
    environment: mode,
    chain,
    payTo: getAddress(payTo) as Address,
    settler: openSettler(settings, chain, machine.monotonic),
    gasPolicy: { ethUsdMicros: BigInt(settings.ethUsd) * 1_000_000n, priorityFeeMax: network.gas.priorityFeeMax },
    burnedGasDailyWei: settings.burnedGasDailyWei,
    settleWaitMs: settings.settleWaitMs,
  }
}

function openSettler({ settler, payTo }: PaymentSettings, chain: EvmChain, monotonic: () => number): Settler {
  if (settler.kind === "http") {
    const hosted = openHostedSettler({ url: settler.facilitatorUrl, timeoutMs: FACILITATOR_TIMEOUT_MS })
    return { kind: "http", hosted, pace: new HandOverPace() }
  }
  secp256k1.utils.precompute(SIGNING_TABLE_BITS)
  const relayer = openRelayer(settler.relayerKey, chain.asset.chainId)
  if (relayer.address.toLowerCase() === payTo) throw new ConfigError("pay_to must not be the relayer's own address")
  return { kind: "self", relayer, count: new RelayerCount(chain, relayer.address, monotonic) }
}
