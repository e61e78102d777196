/**
 * Ed25519 private keys of 64 bytes: the seed and its public key, as Solana and NaCl write them. A signature has the same length, but its
 * second half is never the public key of its first half.
 */
import { sameBytes } from "../bytes.ts"
import { publicKeyOfSeed } from "../ed25519.ts"
import { decodeBase58 } from "./base58.ts"

export const KEY_PAIR_BYTES = 64
const SEED_BYTES = 32
const BASE64_CHARACTERS = 86

const HEX = /(?<![0-9a-z])(?:0x)?([0-9a-f]{128})(?![0-9a-z])/gi
const BASE58 = /(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{86,88}(?![A-Za-z0-9])/g
const BASE64 = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{86}(?![A-Za-z0-9+/_-])/g
const NUMBERS = /(?<!\d ?, ?)(?<![\d.-])\d{1,3}(?: ?, ?\d{1,3}){63}(?! ?, ?\d)(?![\d.])/g
/** The names of the bytes where a program printed them as an object. */
const PLACES = /["'](?:[1-5]?\d|6[0-3])["'] ?: ?/g

/** True if the bytes are a seed and its public key. */
function isKeyPair(bytes: Uint8Array): boolean {
  if (bytes.length !== KEY_PAIR_BYTES) return false
  return sameBytes(publicKeyOfSeed(bytes.subarray(0, SEED_BYTES)), bytes.subarray(SEED_BYTES))
}

/** The last byte of a valid signature is at most this: its second half is below the order of the group (RFC 8032, 5.1.7). */
const SIGNATURE_LAST_BYTE_MAX = 0x10

/**
 * True for such a key in the place of a signature. CHOICE: by its last byte one key in fifteen may be a signature, and is taken for one. To
 * derive a public key for every signature would cost more than the whole search of a request.
 */
export function isKeyPairForSignature(text: string): boolean {
  if (text.length !== BASE64_CHARACTERS) return false
  const bytes = Buffer.from(text, "base64")
  return (bytes.at(-1) ?? 0) > SIGNATURE_LAST_BYTE_MAX && isKeyPair(bytes)
}

/** True for such a key in base58, base64 or hexadecimal digits. */
export function hasKeyPair(text: string): boolean {
  return (
    (text.match(BASE58)?.some((key) => isKeyPair(decodeBase58(key))) ?? false) ||
    (text.match(BASE64)?.some((key) => isKeyPair(Buffer.from(key, "base64"))) ?? false) ||
    text.matchAll(HEX).some(([, hex = ""]) => isKeyPair(Buffer.from(hex, "hex")))
  )
}

/** True for such a key as a list of numbers. */
export function hasListedKeyPair(text: string): boolean {
  return (
    text
      .replace(PLACES, "")
      .match(NUMBERS)
      ?.some((list) => isListOfKeyPair(list.split(",").map(Number))) ?? false
  )
}

/** True if the numbers are the bytes of such a key. */
export function isListOfKeyPair(numbers: readonly unknown[]): boolean {
  const isBytes =
    numbers.length === KEY_PAIR_BYTES && numbers.every((n) => Number.isInteger(n) && n === (Number(n) & 255))
  return isBytes && isKeyPair(Uint8Array.from(numbers as number[]))
}
