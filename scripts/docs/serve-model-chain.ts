/** A model chain behind a JSON-RPC address on loopback. It mines a block for each transaction, and has no clock of its own. */

import { SECOND } from "../../src/core/time.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { ModelChain } from "../../src/sandbox/chain/model-chain.ts"
import { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { NodeError } from "../../src/sandbox/chain/node-error.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"

/** Blocks before the first payment, and seconds between two of them. */
const BLOCKS_BEFORE = 20
const BLOCK_SECONDS = 2

interface ServedChain {
  readonly url: string
  /** Mines a block at this time, in milliseconds, after the newest block's. */
  mineAt(at: number): void
  stop(): Promise<void>
}

/** `at`: the time of the first payment, in milliseconds. The relayer has ether and the payer has USDC. */
export function serveModelChain(at: number): ServedChain {
  const genesisTime = at / SECOND - 2 * BLOCKS_BEFORE * BLOCK_SECONDS
  const chain = new ModelChain({ network: BASE, genesisTime, senderOf: () => DEV_ACCOUNTS.relayer.address })
  chain.setEther(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  chain.setUsdc(DEV_ACCOUNTS.payer.address, 10n ** 9n)
  const mine = () => chain.mine(chain.head.timestamp + BLOCK_SECONDS)
  for (let block = 0; block < BLOCKS_BEFORE; block++) mine()
  const node = new ModelNode(chain)
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { id, method, params } = (await request.json()) as { id: unknown; method: string; params?: unknown[] }
      try {
        const result = await node.request({ method, params })
        if (method === "eth_sendRawTransaction") mine()
        return Response.json({ jsonrpc: "2.0", id, result })
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        const { code, message, data } = error
        return Response.json({ jsonrpc: "2.0", id, error: { code, message, data } })
      }
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    mineAt: (later) => void chain.mine(later / SECOND),
    stop: () => server.stop(true),
  }
}
