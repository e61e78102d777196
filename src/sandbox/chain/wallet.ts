/** A payer with code: an ERC-1271 wallet. A function replaces its contract; no byte code runs. */
import type { Address, Hex } from "viem"

export interface WalletQuestion {
  readonly digest: Hex
  readonly signature: Hex
  /** The signer of the 65-byte signature, or, when it has 66 bytes, of the 65 bytes after a tag byte 0x01. Null when nobody signed it. */
  readonly signer: Address | null
}

export interface Wallet {
  /** What `eth_getCode` returns. Any bytes but "0x". */
  readonly code: Hex
  /** Whether `isValidSignature` returns ERC-1271's magic value. Must depend only on the query. */
  accepts(question: WalletQuestion): boolean
  /** Gas that one signature check burns. `withFee`: the call pays a gas price. */
  gas(withFee: boolean): bigint
}

/** A wallet whose signature is the tag byte 0x01 and its owner's 65 bytes. */
export function ownedWallet(owner: Address): Wallet {
  const expected = owner.toLowerCase()
  return {
    code: `0x60${owner.slice(2).toLowerCase()}`,
    accepts: ({ signature, signer }) => signature.length === 134 && signature.startsWith("0x01") && signer === expected,
    gas: () => 6_000n,
  }
}

/**
 * A hostile wallet: every signature is valid, and the check burns gas of the transaction's sender. With `onlyWithFee` it is cheap in a call
 * without a gas price, to pass an estimate that leaves the fee out.
 */
export function gasBurner(burned: bigint, { onlyWithFee = false } = {}): Wallet {
  return {
    code: `0x61${burned.toString(16).padStart(8, "0")}${onlyWithFee ? "01" : "00"}`,
    accepts: () => true,
    gas: (withFee) => (onlyWithFee && !withFee ? 1_000n : burned),
  }
}
