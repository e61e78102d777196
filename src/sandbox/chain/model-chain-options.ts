import type { Address, Hex } from "viem"
import type { Network } from "../../payments/networks/network.ts"
import type { Contract } from "./contract.ts"
import type { SenderOf } from "./transaction.ts"

export interface ModelChainOptions {
  readonly network: Network
  /** Time of block 0, in seconds since the epoch. */
  readonly genesisTime: number
  /** Wei per gas. Default 0.01 gwei, about the price on Base. */
  readonly baseFeePerGas?: bigint
  /** Wei per gas that nodes suggest as a tip. Default 0.001 gwei. */
  readonly suggestedTip?: bigint
  /** Blocks that the safe and the finalized block are behind the head. Defaults 1 and 2. */
  readonly safeLag?: number
  readonly finalizedLag?: number
  /** Transactions in one block. Default 200. */
  readonly blockTransactionsMax?: number
  /** Limit of waiting transactions. Default 10,000. */
  readonly poolMax?: number
  /**
   * Returns the sender of signed bytes. Without it the sender is recovered from the signature, once for each distinct value (about a
   * millisecond). A caller whose only signer is one relayer passes `() => relayer`.
   */
  readonly senderOf?: SenderOf
  /** Contracts beside USDC, by address in lower case. */
  readonly contracts?: ReadonlyMap<Address, Contract>
}

/** A transaction of another party, without a signature. Members left out get values that fit the chain's current state. */
export interface Submission {
  readonly from: Address
  readonly to: Address
  readonly data?: Hex
  /** Wei. */
  readonly value?: bigint
  readonly nonce?: number
  readonly gas?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
}
