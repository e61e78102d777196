/** Circle's USDC on the chains on which this service may settle: addresses and EIP-712 domains. */
import type { Address, Hex } from "viem"

export interface Asset {
  readonly chainId: number
  /** CAIP-2 id, as x402 names networks. */
  readonly network: `eip155:${number}`
  readonly address: Address
  /** EIP-712 domain name. "USD Coin" on Base, "USDC" on Base Sepolia; the wrong one makes every signature invalid. */
  readonly name: string
  readonly version: string
}

export const USDC_BASE: Asset = {
  chainId: 8453,
  network: "eip155:8453",
  address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  name: "USD Coin",
  version: "2",
}

export const USDC_BASE_SEPOLIA: Asset = {
  chainId: 84532,
  network: "eip155:84532",
  address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  name: "USDC",
  version: "2",
}

/** The known asset of a chain, or null. The service refuses to settle any other asset. */
export function assetOf(chainId: number): Asset | null {
  return [USDC_BASE, USDC_BASE_SEPOLIA].find((asset) => asset.chainId === chainId) ?? null
}

/** What `DOMAIN_SEPARATOR()` of USDC on Base must return before `live` starts. A test recomputes it from the domain. */
export const USDC_BASE_DOMAIN_SEPARATOR: Hex = "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"

export function eip712Domain(asset: Asset) {
  return { name: asset.name, version: asset.version, chainId: asset.chainId, verifyingContract: asset.address }
}
