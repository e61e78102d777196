/**
 * ECDSA over P-256 (FIPS 186-5 6.4.2, SP 800-186 3.2.1.3), verification only, so nothing here is secret and no time tells anything. Own code,
 * because the page that verifies in a browser would grow by 60 KB, and by random numbers that it must not have. Tests compare it with two others.
 */
import { numberOf, pairIn } from "./der.ts"

const P = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n
const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

/** A point in Jacobian coordinates: (x/z², y/z³). `z` is 0 for the point at infinity. */
interface Point {
  readonly x: bigint
  readonly y: bigint
  readonly z: bigint
}

const INFINITY: Point = { x: 1n, y: 1n, z: 0n }
const BASE: Point = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
  z: 1n,
}

/** Reads the 65 bytes of an uncompressed point. Null unless it lies on the curve, whose every point has the order N. */
export function readP256Point(bytes: Uint8Array): Point | null {
  if (bytes.length !== 65 || bytes[0] !== 0x04) return null
  const [x, y] = [numberOf(bytes.subarray(1, 33)), numberOf(bytes.subarray(33))]
  return x < P && y < P && mod(y * y - x * x * x + 3n * x - B) === 0n ? { x, y, z: 1n } : null
}

/** `hash` is the SHA-256 of the message. Both values of s for one r are valid: authenticators make either. */
export function verifyP256(key: Point, hash: Uint8Array, signature: Uint8Array): boolean {
  const [r = 0n, s = 0n] = pairIn(signature) ?? []
  if (r <= 0n || r >= N || s <= 0n || s >= N) return false
  const w = inverse(s)
  const sum = sumOf((numberOf(hash) * w) % N, (r * w) % N, key)
  if (sum.z === 0n) return false
  // r is x modulo N, and x is below P, which is above N.
  const zz = mod(sum.z * sum.z)
  return mod(r * zz) === sum.x || (r + N < P && mod((r + N) * zz) === sum.x)
}

/** one·BASE + other·key. */
function sumOf(one: bigint, other: bigint, key: Point): Point {
  const both = plus(BASE, key)
  let sum = INFINITY
  for (let bit = 255n; bit >= 0n; bit--) {
    sum = doubled(sum)
    const [takesOne, takesOther] = [(one >> bit) & 1n, (other >> bit) & 1n]
    if (takesOne === 1n) sum = plus(sum, takesOther === 1n ? both : BASE)
    else if (takesOther === 1n) sum = plus(sum, key)
  }
  return sum
}

/** hyperelliptic.org, dbl-2001-b: the curve has a = -3. */
function doubled({ x, y, z }: Point): Point {
  const delta = mod(z * z)
  const gamma = mod(y * y)
  const beta = mod(x * gamma)
  const alpha = mod(3n * (x - delta) * (x + delta))
  const x3 = mod(alpha * alpha - 8n * beta)
  return { x: x3, y: mod(alpha * (4n * beta - x3) - 8n * gamma * gamma), z: mod(2n * y * z) }
}

/** hyperelliptic.org, add-1998-cmo-2, with its exceptions. */
function plus(one: Point, other: Point): Point {
  if (one.z === 0n) return other
  if (other.z === 0n) return one
  const [zz1, zz2] = [mod(one.z * one.z), mod(other.z * other.z)]
  const [u1, u2] = [mod(one.x * zz2), mod(other.x * zz1)]
  const [s1, s2] = [mod(one.y * zz2 * other.z), mod(other.y * zz1 * one.z)]
  const [h, r] = [mod(u2 - u1), mod(s2 - s1)]
  if (h === 0n) return r === 0n ? doubled(one) : INFINITY
  const hh = mod(h * h)
  const hhh = mod(h * hh)
  const v = mod(u1 * hh)
  const x3 = mod(r * r - hhh - 2n * v)
  return { x: x3, y: mod(r * (v - x3) - s1 * hhh), z: mod(h * one.z * other.z) }
}

function mod(value: bigint): bigint {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

/** Of a number from 1 to N - 1, modulo N (extended Euclid). */
function inverse(value: bigint): bigint {
  let [low, high, inLow, inHigh] = [value, N, 1n, 0n]
  while (low !== 1n) {
    const quotient = high / low
    ;[low, high, inLow, inHigh] = [high - quotient * low, low, inHigh - quotient * inLow, inLow]
  }
  return inLow < 0n ? inLow + N : inLow
}
