/** RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 8.2.2), for passkeys of Windows Hello. Verifies only, so nothing here is secret. */
import { concatBytes, sameBytes } from "../bytes.ts"
import { BIT_STRING, derOf, elementIn, numberOf, pairIn, pairOf, SEQUENCE } from "./der.ts"

export interface RsaKey {
  readonly modulus: bigint
  readonly exponent: bigint
}

/** CHOICE: an RSA passkey has 2,048 to 4,096 bits and an odd exponent of at most 32 bits. Authenticators make no others. */
const MODULUS_BITS_MIN = 2048
const MODULUS_BITS_MAX = 4096
const EXPONENT_BITS_MAX = 32

/** AlgorithmIdentifier of rsaEncryption with NULL. */
const RSA_ENCRYPTION = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00]
/** DigestInfo of SHA-256 up to the hash (RFC 8017 9.2, note 1). */
const SHA256_INFO = [
  0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20,
]

/** Reads a SubjectPublicKeyInfo. Null unless it is the DER of a key within the limits. */
export function readRsaKey(spki: Uint8Array): RsaKey | null {
  const parts = elementIn(spki, SEQUENCE)
  const bits = parts && elementIn(parts.subarray(RSA_ENCRYPTION.length), BIT_STRING)
  const numbers = bits && pairIn(bits.subarray(1))
  if (!numbers) return null
  const key = { modulus: numbers[0], exponent: numbers[1] }
  return isUsable(key) && sameBytes(spkiOf(key), spki) ? key : null
}

/** `hash` is the SHA-256 of the message. */
export function verifyRsa({ modulus, exponent }: RsaKey, hash: Uint8Array, signature: Uint8Array): boolean {
  const length = Math.ceil(bitsOf(modulus) / 8)
  const s = numberOf(signature)
  if (signature.length !== length || s >= modulus) return false
  const padding = new Uint8Array(length - SHA256_INFO.length - hash.length - 3).fill(0xff)
  const expected = concatBytes(Uint8Array.of(0, 1), padding, Uint8Array.of(0, ...SHA256_INFO), hash)
  return power(s, exponent, modulus) === numberOf(expected)
}

function isUsable({ modulus, exponent }: RsaKey): boolean {
  const bits = bitsOf(modulus)
  if (bits < MODULUS_BITS_MIN || bits > MODULUS_BITS_MAX) return false
  return (modulus & 1n) === 1n && exponent >= 3n && (exponent & 1n) === 1n && bitsOf(exponent) <= EXPONENT_BITS_MAX
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  let square = base % modulus
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % modulus
    square = (square * square) % modulus
  }
  return result
}

function bitsOf(number: bigint): number {
  return number.toString(2).length
}

function spkiOf({ modulus, exponent }: RsaKey): Uint8Array {
  const key = derOf(BIT_STRING, concatBytes(Uint8Array.of(0), pairOf(modulus, exponent)))
  return derOf(SEQUENCE, concatBytes(Uint8Array.from(RSA_ENCRYPTION), key))
}
