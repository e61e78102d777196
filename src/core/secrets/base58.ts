/** Base58 as Bitcoin writes it, and Base58Check. */
import { sha256 } from "../sha256.ts"

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
const CHECKSUM_BYTES = 4

/** The bytes of a text in base58. The text has no other characters. */
export function decodeBase58(text: string): Buffer {
  const zeros = text.length - text.replace(/^1+/, "").length
  const number = Array.from(text).reduce((sum, digit) => sum * 58n + BigInt(ALPHABET.indexOf(digit)), 0n)
  const hex = number === 0n ? "" : number.toString(16)
  return Buffer.from("00".repeat(zeros) + hex.padStart(hex.length + (hex.length % 2), "0"), "hex")
}

/** The bytes before the checksum, or null for a checksum of other bytes. */
export function decodeBase58Check(text: string): Buffer | null {
  const bytes = decodeBase58(text)
  const payload = bytes.subarray(0, -CHECKSUM_BYTES)
  const checksum = sha256(sha256(payload)).subarray(0, CHECKSUM_BYTES)
  return bytes.subarray(-CHECKSUM_BYTES).equals(checksum) ? payload : null
}
