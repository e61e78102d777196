/** What runs at an address of the model chain in place of byte code, and what it sees. */
import type { Address, Hex } from "viem"
import type { Ledger } from "./ledger.ts"
import type { Signatures } from "./signatures.ts"

export interface Contract {
  /** What `eth_getCode` returns: any bytes but "0x". The model does not execute it. */
  readonly code: Hex
  /**
   * Runs a call and writes to the ledger. The caller must roll the writes back when the call fails, or when `around.at` is an old block.
   * `sender` is in lower case.
   */
  run(data: Hex, sender: Address, around: Surroundings): Effect
  /** The word in a slot at the end of a block. Without it every slot is empty. */
  storageAt?(slot: bigint, ledger: Ledger, block: number): Hex
}

export interface Surroundings {
  readonly ledger: Ledger
  /** USDC, in lower case. */
  readonly token: Address
  readonly signatures: Signatures
  /** The state at the end of this block is read. AT_HEAD for a call that writes. */
  readonly at: number
  /** Time of the block in which the call runs, in seconds. */
  readonly timestamp: number
  /** Whether the transaction pays a gas price. A hostile wallet can read this. */
  readonly withFee: boolean
  /** What runs at an account, or null. */
  contractAt(account: Address): Contract | null
}

export interface Event {
  /** In lower case. Absent for an event of USDC. */
  readonly address?: Address
  readonly topics: readonly [Hex, ...Hex[]]
  readonly data: Hex
}

/** `gas` excludes the transaction's intrinsic gas. */
export type Effect =
  | { readonly isSuccess: true; readonly gas: bigint; readonly events: readonly Event[]; readonly output: Hex }
  /** `reason`: the contract's text, or null. `data`: the revert data of an error without a text. */
  | { readonly isSuccess: false; readonly gas: bigint; readonly reason: string | null; readonly data?: Hex }
