/** What this service must know about a chain to sell on it. One row a chain; a service is assembled on one of them. */
import type { Address, Hex } from "viem"

/** Circle's USDC on one chain: its address and its EIP-712 domain. */
export interface Asset {
  readonly chainId: number
  /** CAIP-2 id, as x402 names networks. */
  readonly network: `eip155:${number}`
  readonly address: Address
  /** EIP-712 domain name. "USD Coin" on Base, "USDC" on Base Sepolia; the wrong one makes every signature invalid. */
  readonly name: string
  readonly version: string
}

export interface Network {
  readonly asset: Asset
  /** What `DOMAIN_SEPARATOR()` of the asset returns. A test computes it from the domain. */
  readonly domainSeparator: Hex
  /** Whether `payments = live` may settle here. Signatures of a test are valid here too, so `test` then needs a loopback RPC. */
  readonly isLive: boolean
  /** The block tag up to which the chain is not reorganized. An outcome counts from there on. */
  readonly safeTag: SafeTag
  readonly gas: NetworkGas
}

export type SafeTag = "safe" | "finalized"

interface NetworkGas {
  /** The most gas of a transfer of a payer without code. USDC's own code bounds it. */
  readonly limitMax: bigint
  /** The most gas that the service pays for a payer with code. */
  readonly limitMaxWithCode: bigint
  /** Wei per gas. Caps the priority fee that a node suggests. */
  readonly priorityFeeMax: bigint
  /** The OP stack's oracle of the fee for publishing on L1, or null for a chain without that fee. */
  readonly l1FeeOracle: Address | null
}

/** The EIP-712 type of an EIP-3009 authorization. */
export const TRANSFER_TYPES = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

export function eip712Domain(asset: Asset) {
  return { name: asset.name, version: asset.version, chainId: asset.chainId, verifyingContract: asset.address }
}
