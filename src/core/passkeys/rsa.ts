/** RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 8.2.2), for passkeys of Windows Hello. Verifies only, so nothing here is secret. */
import { concatBytes, sameBytes } from "../bytes.ts"

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

const SEQUENCE = 0x30
const INTEGER = 0x02
const BIT_STRING = 0x03

/** Reads a SubjectPublicKeyInfo. Null unless it is the DER of a key within the limits: its bytes are made again and compared. */
export function readRsaKey(spki: Uint8Array): RsaKey | null {
  const bits = elementIn(contentOf(spki, SEQUENCE)?.subarray(RSA_ENCRYPTION.length), BIT_STRING)
  const numbers = bits && contentOf(bits.subarray(1), SEQUENCE)
  const modulus = numbers && elementIn(numbers, INTEGER)
  const exponent = numbers && modulus && elementIn(numbers.subarray(derOf(INTEGER, modulus).length), INTEGER)
  if (!modulus || !exponent) return null
  const key = { modulus: numberOf(modulus), exponent: numberOf(exponent) }
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

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`)
}

function spkiOf({ modulus, exponent }: RsaKey): Uint8Array {
  const numbers = [modulus, exponent].map((number) => derOf(INTEGER, unsignedOf(number)))
  const key = derOf(BIT_STRING, concatBytes(Uint8Array.of(0), derOf(SEQUENCE, concatBytes(...numbers))))
  return derOf(SEQUENCE, concatBytes(Uint8Array.from(RSA_ENCRYPTION), key))
}

/** The shortest bytes of a positive number whose first bit is 0. */
function unsignedOf(number: bigint): Uint8Array {
  const hex = number.toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  const bytes = Uint8Array.from(even.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return (bytes[0] ?? 0) < 0x80 ? bytes : concatBytes(Uint8Array.of(0), bytes)
}

function derOf(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content
  if (length < 0x80) return concatBytes(Uint8Array.of(tag, length), content)
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return concatBytes(Uint8Array.of(tag, ...bytes), content)
}

/** The content of the first element if it has this tag. A form that is no DER does not equal the bytes that are made again. */
function elementIn(bytes: Uint8Array | undefined, tag: number): Uint8Array | null {
  if (!bytes || bytes[0] !== tag) return null
  const first = bytes[1] ?? 0
  const octets = first < 0x80 ? 0 : first & 0x7f
  if (octets > 2) return null
  const length = octets === 0 ? first : Number(numberOf(bytes.subarray(2, 2 + octets)))
  const from = 2 + octets
  return from + length <= bytes.length ? bytes.subarray(from, from + length) : null
}

/** The same for an element that is all of the bytes. */
function contentOf(bytes: Uint8Array, tag: number): Uint8Array | null {
  const content = elementIn(bytes, tag)
  return content && content.byteOffset + content.length === bytes.byteOffset + bytes.length ? content : null
}
