/**
 * SHA-256 and SVC-ED25519-STRICT-1 for any JavaScript engine. Uses WebCrypto if the engine has Ed25519, else the same cofactorless equation
 * in plain arithmetic, so that all machines judge a signature in the same way.
 */
import { Point } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"
import { concatBytes, decodeBase64url, encodeBase64url, sameBytes } from "../../core/bytes.ts"
import { checkKeyBytes, isSmallOrderEncoding, type KeyFault } from "../../core/point-policy.ts"
import { sha256 } from "./encoding.ts"

/** One bundle names a few hundred keys. A caller that verifies many bundles checks the service's keys in each of them. */
const REMEMBERED_MAX = 2_000
const checked = new Map<string, KeyFault | null>()

/** Checks the key of one RFC 8037 `x`. Takes 0.8 ms the first time; the result is cached. */
export function checkKey(x: string): KeyFault | null {
  const known = checked.get(x)
  if (known !== undefined) return known
  const bytes = decodeBase64url(x, 32)
  const fault = bytes ? checkKeyBytes(bytes) : "KEY_ENCODING_INVALID"
  if (checked.size >= REMEMBERED_MAX) checked.clear()
  checked.set(x, fault)
  return fault
}

const utf8 = new TextEncoder()

/**
 * Cache of verified signatures: every bundle of an operator contains the service's own history. Only valid signatures are stored, keyed by
 * key, signature and the hash of the signed text.
 */
const genuine = new Set<string>()

/** True if `x` passes the key check and the signature (86 base64url characters) is valid for the text. */
export async function verifySignature(x: string, message: string, signature: string): Promise<boolean> {
  const key = checkKey(x) === null ? decodeBase64url(x, 32) : null
  const bytes = decodeBase64url(signature, 64)
  if (key === null || bytes === null) return false
  const signed = utf8.encode(message)
  const known = `${x} ${signature} ${encodeBase64url(sha256(signed))}`
  if (genuine.has(known)) return true
  if (!(await verifyBytes(key, signed, bytes))) return false
  if (genuine.size >= REMEMBERED_MAX) genuine.clear()
  genuine.add(known)
  return true
}

/** Set by the build of a page: its script contains no use of WebCrypto, because not every page has it. */
declare const BUILD_WITHOUT_WEBCRYPTO: true | undefined

/** The same for bytes. `key` must have passed {@link checkKey}. */
export async function verifyBytes(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  if (signature.length !== 64 || isSmallOrderEncoding(signature.subarray(0, 32))) return false
  return typeof BUILD_WITHOUT_WEBCRYPTO === "undefined"
    ? verifyByEngine(key, message, signature)
    : verifyCofactorless(key, message, signature)
}

async function verifyByEngine(key: Uint8Array, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const engine = await engineWithEd25519()
  if (!engine) return verifyCofactorless(key, message, signature)
  const imported = await engine.importKey("raw", own(key), ED25519, false, ["verify"])
  return engine.verify(ED25519, imported, own(signature), own(message))
}

const ED25519 = "Ed25519"

/** WebCrypto's types require bytes that no other thread shares. */
function own(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes as Uint8Array<ArrayBuffer>
}

/** The base point, a key that every engine with Ed25519 can import. */
const BASE_POINT = Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 0x58 : 0x66))

let engine: Promise<SubtleCrypto | null> | undefined

/** Null in older engines, and on pages outside a secure context. */
function engineWithEd25519(): Promise<SubtleCrypto | null> {
  engine ??= findEngine(globalThis.crypto?.subtle)
  return engine
}

export async function findEngine(subtle: SubtleCrypto | undefined): Promise<SubtleCrypto | null> {
  if (!subtle) return null
  try {
    await subtle.importKey("raw", own(BASE_POINT), ED25519, false, ["verify"])
    return subtle
  } catch {
    return null
  }
}

const ORDER = Point.CURVE().n

/** RFC 8032 5.1.7 without the cofactor, like the native verifiers: S·B - k·A must encode to exactly R. */
export function verifyCofactorless(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const r = signature.subarray(0, 32)
  const s = littleEndian(signature.subarray(32))
  if (s >= ORDER) return false
  const k = littleEndian(sha512(concatBytes(r, key, message))) % ORDER
  const left = Point.BASE.multiply(s, false)
  return sameBytes(left.subtract(Point.fromBytes(key, false).multiply(k, false)).toBytes(), r)
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)
}
