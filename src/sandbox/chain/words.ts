/** Calldata and results of contracts in 32-byte words, parsed as Solidity does. */
import type { Address, Hex } from "viem"

class Malformed extends Error {}

/** The words after the selector. Its methods throw for calldata that ends early or has an invalid form. */
export class Words {
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

/** Null when the calldata does not decode. */
export function decodedOrNull<T>(data: Hex, read: (words: Words) => T): T | null {
  try {
    return read(new Words(data))
  } catch (error) {
    if (error instanceof Malformed) return null
    throw error
  }
}

export const numberWord = (value: bigint | number): Hex => `0x${value.toString(16).padStart(64, "0")}`
/** `address` in lower case. */
export const addressWord = (address: Address): Hex => `0x000000000000000000000000${address.slice(2)}`
