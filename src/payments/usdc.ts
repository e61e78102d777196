/** Circle's USDC on the chains this service may settle on: addresses, EIP-712 domains, and the parts of the ABI we use. */
import { type Address, domainSeparator, type Hex, parseAbi } from "viem"

export interface Asset {
  readonly chainId: number
  /** CAIP-2 id, as x402 names networks. */
  readonly network: `eip155:${number}`
  readonly address: Address
  /** EIP-712 domain name. Base says "USD Coin", Base Sepolia "USDC": mixing them up makes every signature invalid. */
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

/** The known asset of a chain, or null: settling anything else is refused. */
export function assetOf(chainId: number): Asset | null {
  return [USDC_BASE, USDC_BASE_SEPOLIA].find((asset) => asset.chainId === chainId) ?? null
}

/** What Base USDC's `DOMAIN_SEPARATOR()` must answer before `live` starts; recomputed from the domain in a test. */
export const USDC_BASE_DOMAIN_SEPARATOR: Hex = "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f"

export function eip712Domain(asset: Asset) {
  return { name: asset.name, version: asset.version, chainId: asset.chainId, verifyingContract: asset.address }
}

export function domainSeparatorOf(asset: Asset): Hex {
  return domainSeparator({ domain: eip712Domain(asset) })
}

/** EIP-3009. `authorizationState` is true when used OR cancelled: only the events tell which. */
export const USDC_ABI = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
  "function balanceOf(address account) view returns (uint256)",
  "function paused() view returns (bool)",
  "function isBlacklisted(address account) view returns (bool)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
])
