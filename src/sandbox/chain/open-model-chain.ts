/**
 * The payment code's interface to a chain, over handlers in memory instead of URLs:
 *
 *     const chain = openModelChain(BASE, node.request)                     // one node
 *     const chain = openModelChain(BASE, faulty.request, second.request)   // two
 *
 * Each query calls a handler once, and nothing here waits: a handler with a time-out implements it itself (see faulty-node.ts).
 * viem names each client with Math.random; nothing depends on the name. viem loads one module at the first reverted call, so make
 * one such call before a run that must be repeatable.
 */
import { custom, RpcRequestError } from "viem"
import type { Network } from "../../payments/networks/network.ts"
import { type EvmChain, type EvmNode, nodeOver } from "../../payments/rpc.ts"
import type { RpcHandler } from "./model-node.ts"
import { NodeError } from "./node-error.ts"

export function openModelChain(network: Network, primary: RpcHandler, second: RpcHandler | null = null): EvmChain {
  return {
    network,
    asset: network.asset,
    primary: openModelNode("primary", primary, network),
    second: second && openModelNode("second", second, network),
  }
}

function openModelNode(name: EvmNode["name"], handler: RpcHandler, { safeTag }: Pick<Network, "safeTag">): EvmNode {
  const request = async (question: { method: string; params?: readonly unknown[] }) => {
    try {
      return await handler(question)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      // The same error that viem's HTTP transport throws for a JSON-RPC error.
      const { code, message, data } = error
      throw new RpcRequestError({ body: { method: question.method }, error: { code, message, data }, url: "model" })
    }
  }
  return nodeOver(name, custom({ request }, { retryCount: 0 }), safeTag)
}
