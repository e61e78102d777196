/** Parses calldata of USDC's functions as its contract does. Calldata that does not decode makes the call revert without a reason. */
import { type Address, type Hex, toFunctionSelector } from "viem"
import { decodedOrNull, type Words } from "./words.ts"

/** Addresses, nonces and signatures are in lower case. */
export interface TransferCall {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly nonce: Hex
  readonly signature: Hex
}

export interface CancelCall {
  readonly from: Address
  readonly nonce: Hex
  readonly signature: Hex
}

export type UsdcCall =
  | ({ readonly kind: "transfer_with_authorization" } & TransferCall)
  | ({ readonly kind: "cancel_authorization" } & CancelCall)
  /** ERC-20's plain transfer by the sender. */
  | { readonly kind: "transfer"; readonly to: Address; readonly value: bigint }
  /** The sender permits `spender` to move up to `value` of its balance. */
  | { readonly kind: "approve"; readonly spender: Address; readonly value: bigint }
  /** The sender moves what the owner permitted. */
  | { readonly kind: "transfer_from"; readonly from: Address; readonly to: Address; readonly value: bigint }
  | { readonly kind: "allowance"; readonly owner: Address; readonly spender: Address }
  | { readonly kind: "authorization_state"; readonly payer: Address; readonly nonce: Hex }
  | { readonly kind: "balance"; readonly account: Address }
  | { readonly kind: "blacklisted"; readonly account: Address }
  | { readonly kind: "paused" }
  | { readonly kind: "domain_separator" }

const TRANSFER_TERMS = "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce"

const terms = (words: Words) => ({
  from: words.address(0),
  to: words.address(1),
  value: words.number(2),
  validAfter: words.number(3),
  validBefore: words.number(4),
  nonce: words.bytes32(5),
})

const FUNCTIONS: readonly (readonly [signature: string, read: (words: Words) => UsdcCall])[] = [
  [
    `function transferWithAuthorization(${TRANSFER_TERMS}, uint8 v, bytes32 r, bytes32 s)`,
    (words) => ({ kind: "transfer_with_authorization", ...terms(words), signature: words.splitSignature(6) }),
  ],
  [
    `function transferWithAuthorization(${TRANSFER_TERMS}, bytes signature)`,
    (words) => ({ kind: "transfer_with_authorization", ...terms(words), signature: words.bytes(6) }),
  ],
  [
    "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
    (words) => ({
      kind: "cancel_authorization",
      from: words.address(0),
      nonce: words.bytes32(1),
      signature: words.splitSignature(2),
    }),
  ],
  [
    "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
    (words) => ({
      kind: "cancel_authorization",
      from: words.address(0),
      nonce: words.bytes32(1),
      signature: words.bytes(2),
    }),
  ],
  [
    "function transfer(address to, uint256 value)",
    (words) => ({ kind: "transfer", to: words.address(0), value: words.number(1) }),
  ],
  [
    "function approve(address spender, uint256 value)",
    (words) => ({ kind: "approve", spender: words.address(0), value: words.number(1) }),
  ],
  [
    "function transferFrom(address from, address to, uint256 value)",
    (words) => ({ kind: "transfer_from", from: words.address(0), to: words.address(1), value: words.number(2) }),
  ],
  [
    "function allowance(address owner, address spender)",
    (words) => ({ kind: "allowance", owner: words.address(0), spender: words.address(1) }),
  ],
  [
    "function authorizationState(address authorizer, bytes32 nonce)",
    (words) => ({ kind: "authorization_state", payer: words.address(0), nonce: words.bytes32(1) }),
  ],
  ["function balanceOf(address account)", (words) => ({ kind: "balance", account: words.address(0) })],
  ["function isBlacklisted(address account)", (words) => ({ kind: "blacklisted", account: words.address(0) })],
  ["function paused()", () => ({ kind: "paused" })],
  ["function DOMAIN_SEPARATOR()", () => ({ kind: "domain_separator" })],
]
const READERS = new Map(FUNCTIONS.map(([signature, read]) => [toFunctionSelector(signature) as string, read]))

/** Null when USDC has no such function, or the arguments do not decode. */
export function readUsdcCall(data: Hex): UsdcCall | null {
  const read = READERS.get(data.slice(0, 10).toLowerCase())
  return read ? decodedOrNull(data, read) : null
}
