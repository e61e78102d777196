import { type Hex, type TransactionReceipt, TransactionReceiptNotFoundError } from "viem"
import type { EvmNode } from "./rpc.ts"

/** The node's receipt of a transaction in its chain, or null. Throws RpcUnavailable. */
function receiptOf(node: EvmNode, hash: Hex): Promise<TransactionReceipt | null> {
  return node.ask("eth_getTransactionReceipt", async (client) => {
    try {
      const receipt = await client.getTransactionReceipt({ hash })
      if (!Array.isArray(receipt.logs)) throw new TypeError("a receipt without logs")
      return receipt
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null
      throw error
    }
  })
}

interface MinedReceipt extends TransactionReceipt {
  /** Time of its block, in seconds. */
  readonly blockSeconds: number
}

/** The receipt, only if the node's chain holds its block now: not a replaced block and not above the head. Throws RpcUnavailable. */
export async function canonicalReceipt(node: EvmNode, hash: Hex): Promise<MinedReceipt | null> {
  const receipt = await receiptOf(node, hash)
  if (!receipt) return null
  const head = await node.block("latest")
  if (receipt.blockNumber > head.number) return null
  const block = await node.block(receipt.blockNumber)
  return block.hash === receipt.blockHash ? { ...receipt, blockSeconds: block.timestamp } : null
}
