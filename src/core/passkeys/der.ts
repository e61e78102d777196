/** The little DER (X.690) that keys and signatures of passkeys are made of. Whoever reads one makes its bytes again and compares them. */
import { bytesOfHex, concatBytes, sameBytes } from "../bytes.ts"

export const SEQUENCE = 0x30
const INTEGER = 0x02
export const BIT_STRING = 0x03

export function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x0${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`)
}

/** An element of at most 65,535 bytes. */
export function derOf(tag: number, content: Uint8Array): Uint8Array {
  const { length } = content
  if (length < 0x80) return concatBytes(Uint8Array.of(tag, length), content)
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return concatBytes(Uint8Array.of(tag, ...bytes), content)
}

/** A sequence of two integers that are not negative. */
export function pairOf(first: bigint, second: bigint): Uint8Array {
  return derOf(SEQUENCE, concatBytes(...[first, second].map((number) => derOf(INTEGER, unsignedOf(number)))))
}

/** Null unless the bytes are what {@link pairOf} writes. */
export function pairIn(bytes: Uint8Array): readonly [bigint, bigint] | null {
  const numbers = elementIn(bytes, SEQUENCE)
  const first = numbers && elementIn(numbers, INTEGER)
  const second = numbers && first && elementIn(numbers.subarray(derOf(INTEGER, first).length), INTEGER)
  if (!first || !second) return null
  const pair = [numberOf(first), numberOf(second)] as const
  return sameBytes(pairOf(...pair), bytes) ? pair : null
}

/** The content of the first element if it has this tag. */
export function elementIn(bytes: Uint8Array, tag: number): Uint8Array | null {
  if (bytes[0] !== tag) return null
  const first = bytes[1] ?? 0
  const octets = first < 0x80 ? 0 : first & 0x7f
  if (octets > 2) return null
  const from = 2 + octets
  const length = octets === 0 ? first : Number(numberOf(bytes.subarray(2, from)))
  return from + length <= bytes.length ? bytes.subarray(from, from + length) : null
}

/** The shortest bytes of a number whose first bit is 0. */
function unsignedOf(number: bigint): Uint8Array {
  const hex = number.toString(16)
  const bytes = bytesOfHex(hex.length % 2 === 0 ? hex : `0${hex}`)
  return (bytes[0] ?? 0) < 0x80 ? bytes : concatBytes(Uint8Array.of(0), bytes)
}
