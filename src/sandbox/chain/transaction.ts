/** Transactions of the mempool: parsed once from signed bytes, or built without a signature for other parties. */
import {
  type Address,
  type Hex,
  keccak256,
  parseTransaction,
  serializeTransaction,
  stringToHex,
  type TransactionSerializable,
} from "viem"
import { NodeError, REFUSED } from "./node-error.ts"
import { recoverSigner } from "./signatures.ts"

/** Addresses are in lower case; amounts are in wei. */
export interface Transaction {
  readonly hash: Hex
  readonly from: Address
  readonly to: Address
  readonly nonce: number
  readonly data: Hex
  readonly value: bigint
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

/** The account that signed these bytes, in any letter case. */
export type SenderOf = (raw: Hex) => Address

/** Throws NodeError for bytes that are not a signed transaction of this chain. With `senderOf` null the sender is recovered. */
export function readTransaction(raw: Hex, chainId: number, senderOf: SenderOf | null): Transaction {
  let parsed: ReturnType<typeof parseTransaction>
  try {
    parsed = parseTransaction(raw)
  } catch {
    throw new NodeError(REFUSED, "rlp: the bytes are not a signed transaction")
  }
  if (parsed.chainId !== chainId) {
    throw new NodeError(REFUSED, `invalid chain id for signer: have ${parsed.chainId ?? 0} want ${chainId}`)
  }
  if (!parsed.to) throw new NodeError(REFUSED, "this chain does not create contracts")
  const from = (senderOf?.(raw) ?? recoverSender(parsed)).toLowerCase() as Address
  const price = parsed.gasPrice ?? 0n
  return {
    hash: keccak256(raw),
    from,
    to: parsed.to.toLowerCase() as Address,
    nonce: parsed.nonce ?? 0,
    data: parsed.data ?? "0x",
    value: parsed.value ?? 0n,
    gas: parsed.gas ?? 0n,
    maxFeePerGas: parsed.maxFeePerGas ?? price,
    maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? (parsed.maxFeePerGas === undefined ? price : 0n),
  }
}

function recoverSender(parsed: ReturnType<typeof parseTransaction>): Address {
  const { r, s, v, yParity, ...unsigned } = parsed
  const digest = keccak256(serializeTransaction(unsigned as TransactionSerializable))
  const recovery = yParity ?? (v === undefined ? -1 : v >= 35n ? Number((v - 35n) % 2n) : Number(v - 27n))
  const compact = `${(r ?? "").slice(2).padStart(64, "0")}${(s ?? "").slice(2).padStart(64, "0")}`
  const sender = recoverSigner(digest, compact, recovery)
  if (!sender) throw new NodeError(REFUSED, "invalid sender")
  return sender
}

/** An unsigned transaction. The model trusts `from`. The hash depends on every member. */
export function unsignedTransaction(members: Omit<Transaction, "hash">): Transaction {
  const text = Object.entries(members).map(([name, value]) => `${name}=${value}`)
  return { ...members, hash: keccak256(stringToHex(text.join(","))) }
}

/** Gas that the EVM charges before execution: 21,000, and for calldata 4 for a zero byte and 16 for any other. */
export function intrinsicGas(data: Hex): bigint {
  let gas = 21_000
  for (let at = 2; at < data.length; at += 2) gas += data[at] === "0" && data[at + 1] === "0" ? 4 : 16
  return BigInt(gas)
}
