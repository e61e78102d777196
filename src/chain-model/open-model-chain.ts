/**
 * The payment code's own view of a chain, over handlers in memory instead of URLs:
 *
 *     const chain = openModelChain(USDC_BASE, node.request)                     // one node
 *     const chain = openModelChain(USDC_BASE, faulty.request, second.request)   // two
 *
 * A handler is asked once for each question, and nothing here waits: a handler that must give up after a time does so itself
 * (see faulty-node.ts). viem draws a name for each client from Math.random when it is opened; nothing depends on the name.
 * viem loads one module when the first call is reverted: make one such call before a run that must be repeatable.
 */
import { custom, RpcRequestError } from "viem"
import { type EvmChain, type EvmNode, nodeOver } from "../payments/rpc.ts"
import type { Asset } from "../payments/usdc.ts"
import type { RpcHandler } from "./model-node.ts"
import { NodeError } from "./node-error.ts"

export function openModelChain(asset: Asset, primary: RpcHandler, second: RpcHandler | null = null): EvmChain {
  return {
    asset,
    primary: openModelNode("primary", primary),
    second: second && openModelNode("second", second),
  }
}

export function openModelNode(name: EvmNode["name"], handler: RpcHandler): EvmNode {
  const request = async (question: { method: string; params?: readonly unknown[] }) => {
    try {
      return await handler(question)
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      // What viem's HTTP transport throws for an answer with an error in it.
      const { code, message, data } = error
      throw new RpcRequestError({ body: { method: question.method }, error: { code, message, data }, url: "model" })
    }
  }
  return nodeOver(name, custom({ request }, { retryCount: 0 }))
}
