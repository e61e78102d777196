import { formatTransactionReceipt, type Hex, type RpcTransactionReceipt, type TransactionReceipt } from "viem"
import { type Block, type EvmNode, judgedLater } from "./rpc.ts"

/** The node's receipt of a transaction in its chain, or null. Throws RpcUnavailable. */
export function receiptOf(node: EvmNode, hash: Hex): Promise<TransactionReceipt | null> {
  return node.query(readReceipt, "eth_getTransactionReceipt", hash)
}

function readReceipt(answer: unknown): TransactionReceipt | null {
  if (answer === null) return null
  const receipt = formatTransactionReceipt(answer as RpcTransactionReceipt)
  if (!Array.isArray(receipt.logs)) throw new TypeError("a receipt without logs")
  return receipt
}

export interface MinedReceipt extends TransactionReceipt {
  /** Time of its block, in seconds. */
  readonly blockSeconds: number
}

/** The receipt, only if the node's chain holds its block now: not a replaced block and not above the head. Throws RpcUnavailable. */
export async function canonicalReceipt(node: EvmNode, hash: Hex): Promise<MinedReceipt | null> {
  const answer = receiptOf(node, hash)
  const newest = judgedLater(node.block("latest"))
  const receipt = await answer
  return receipt && inChain(node, receipt, await newest)
}

/**
 * A receipt as {@link canonicalReceipt} gives it, by a head that was asked in the same turn. The two answers may be of different blocks: a
 * head before the receipt's block gives null, as for a transaction that waits, and hashes are compared. `safe`: a safe block that was asked in
 * that turn too. From its answer on, no block up to it is replaced, so such a block is read after it.
 */
export async function inChain(
  node: EvmNode,
  receipt: TransactionReceipt,
  head: Block,
  safe: Block | null = null,
): Promise<MinedReceipt | null> {
  if (receipt.blockNumber > head.number) return null
  const isHead = receipt.blockNumber === head.number && (safe === null || safe.number < head.number)
  const block = isHead ? head : await node.block(receipt.blockNumber)
  return block.hash === receipt.blockHash ? { ...receipt, blockSeconds: block.timestamp } : null
}
