/** Parses calldata of USDC's functions as its contract does. Calldata that does not decode makes the call revert without a reason. */
import { type Address, type Hex, toFunctionSelector } from "viem"

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
  | { readonly kind: "authorization_state"; readonly payer: Address; readonly nonce: Hex }
  | { readonly kind: "balance"; readonly account: Address }
  | { readonly kind: "blacklisted"; readonly account: Address }
  | { readonly kind: "paused" }
  | { readonly kind: "domain_separator" }

class Malformed extends Error {}

/** The words after the selector. */
class Words {
  private readonly body: string
  constructor(data: Hex) {
    this.body = data.slice(10).toLowerCase()
  }
  word(index: number): string {
    const text = this.body.slice(index * 64, index * 64 + 64)
    if (text.length !== 64) throw new Malformed()
    return text
  }
  bytes32(index: number): Hex {
    return `0x${this.word(index)}`
  }
  number(index: number): bigint {
    return BigInt(this.bytes32(index))
  }
  address(index: number): Address {
    const text = this.word(index)
    if (!text.startsWith("000000000000000000000000")) throw new Malformed()
    return `0x${text.slice(24)}`
  }
  /** r, s and v of the three words (v, r, s) from `index` on. */
  splitSignature(index: number): Hex {
    const v = this.word(index)
    if (!/^0{62}/.test(v)) throw new Malformed()
    return `0x${this.word(index + 1)}${this.word(index + 2)}${v.slice(62)}`
  }
  /** A dynamic `bytes` whose offset is the word at `index`. */
  bytes(index: number): Hex {
    const offset = this.number(index)
    if (offset % 32n !== 0n || offset > BigInt(this.body.length / 2)) throw new Malformed()
    const start = Number(offset) / 32
    const length = this.number(start)
    if (length > BigInt(this.body.length / 2)) throw new Malformed()
    const from = (start + 1) * 64
    const text = this.body.slice(from, from + Number(length) * 2)
    if (text.length !== Number(length) * 2) throw new Malformed()
    return `0x${text}`
  }
}

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
  if (!read) return null
  try {
    return read(new Words(data))
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}
