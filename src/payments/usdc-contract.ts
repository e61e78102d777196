/** The USDC contract interface. Separate from `usdc.ts`, because this module needs viem and the routes before payments open do not. */
import { type Address, domainSeparator, encodeEventTopics, type Hex, pad, parseAbi } from "viem"
import { type Asset, eip712Domain } from "./networks/network.ts"

export function domainSeparatorOf(asset: Asset): Hex {
  return domainSeparator({ domain: eip712Domain(asset) })
}

/** EIP-3009. `authorizationState` is true when used OR cancelled; only the events distinguish them. */
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

const topicOf = (eventName: "AuthorizationUsed" | "AuthorizationCanceled" | "Transfer") =>
  encodeEventTopics({ abi: USDC_ABI, eventName })[0]
/** The first topic of each event. */
export const AUTHORIZATION_USED = topicOf("AuthorizationUsed")
export const AUTHORIZATION_CANCELED = topicOf("AuthorizationCanceled")
export const TRANSFER = topicOf("Transfer")

/** An address as an indexed topic: 32 bytes in lower case. */
export function addressTopic(address: Address): Hex {
  return pad(address.toLowerCase() as Address)
}
