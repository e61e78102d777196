/** Nodes that show another state of the chain than the newest one. */
import type { PayingDeps } from "../../src/delivery/deps.ts"
import type { EvmNode } from "../../src/payments/rpc.ts"
import type { RpcProxy } from "../fixtures/rpc-proxy.ts"

/** The newest block as the node prints it. */
export function newestBlock({ payments }: PayingDeps): Promise<unknown> {
  return payments.chain.primary.query((block) => block, "eth_getBlockByNumber", "latest", false)
}

/** The node is behind: it shows this block as the newest, and the state of the chain at it. */
export function showAsNewest(proxy: RpcProxy, block: unknown): void {
  proxy.fault("eth_getBlockByNumber", { when: ([which]) => which === "latest", result: block })
}

/** The node reads the state at once, and its answer arrives after `goOn`. */
export function heldView(deps: PayingDeps) {
  const seen = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const { payments } = deps
  const { primary } = payments.chain
  const call: EvmNode["call"] = async (...question) => {
    const answer = await primary.call(...question)
    seen.resolve()
    await held.promise
    return answer
  }
  const chain = { ...payments.chain, primary: { ...primary, call } }
  return { deps: { ...deps, payments: { ...payments, chain } }, hasSeen: seen.promise, goOn: held.resolve }
}
