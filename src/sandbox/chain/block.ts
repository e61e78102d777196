import { createHash } from "node:crypto"
import type { Hex } from "viem"
import type { Event } from "./contract.ts"
import type { BlockChanges } from "./ledger.ts"
import type { Transaction } from "./transaction.ts"

export interface Log extends Event {
  /** Position in the block. */
  readonly index: number
}

export interface Receipt {
  readonly transaction: Transaction
  readonly block: Block
  /** Position in the block. */
  readonly index: number
  readonly isSuccess: boolean
  readonly gasUsed: bigint
  /** Gas of this transaction and of those before it in the block. */
  readonly cumulativeGasUsed: bigint
  readonly effectiveGasPrice: bigint
  readonly logs: readonly Log[]
}

export interface Block {
  readonly number: number
  readonly hash: Hex
  readonly parentHash: Hex
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly baseFeePerGas: bigint
  readonly receipts: readonly Receipt[]
  /** Numbers of the safe and the finalized block when this block was the head. */
  readonly safe: number
  readonly finalized: number
  /** What the block changed, for a roll-back. */
  readonly changes: BlockChanges
}

/** `branch` makes a block differ from the one that it replaces. SHA-256 because it is fast; no code recomputes a block's hash. */
export function blockHash(
  block: Pick<Block, "parentHash" | "number" | "timestamp" | "baseFeePerGas">,
  transactions: readonly Transaction[],
  branch: number,
): Hex {
  const { parentHash, number, timestamp, baseFeePerGas } = block
  const members = [parentHash, number, timestamp, baseFeePerGas, branch, ...transactions.map(({ hash }) => hash)]
  return `0x${createHash("sha256").update(members.join(" ")).digest("hex")}`
}
