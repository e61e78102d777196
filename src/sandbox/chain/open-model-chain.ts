/**
 * The payment code's interface to a chain, over handlers in memory instead of URLs:
 *
 *     const chain = openModelChain(BASE, node.request)                     // one node
 *     const chain = openModelChain(BASE, faulty.request, second.request)   // two
 *
 * Each query calls a handler once, and nothing here waits: a handler with a time-out implements it itself (see faulty-node.ts).
 * viem names each client with Math.random; nothing depends on the name.
 */
import type { RpcHandler } from "../../payments/json-rpc.ts"
import type { Network } from "../../payments/networks/network.ts"
import { type EvmChain, nodeOver } from "../../payments/rpc.ts"

export function openModelChain(network: Network, primary: RpcHandler, second: RpcHandler | null = null): EvmChain {
  return {
    network,
    asset: network.asset,
    primary: nodeOver("primary", primary, network.safeTag),
    second: second && nodeOver("second", second, network.safeTag),
  }
}
