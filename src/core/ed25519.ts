/**
 * SVC-ED25519-STRICT-1. A signature counts only when the key is canonical, torsion-free and not small-order, its R is not
 * one of the small-order encodings, and the native cofactorless verifier accepts: so this service never says VALID where a
 * mainstream verifier says no. Mixed-order R chosen by a malicious signer is the one case left, and it is refused too.
 */
import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign as nativeSign,
  verify as nativeVerify,
} from "node:crypto"
import { decodeBase64url, encodeBase64url } from "./base64url.ts"
import { checkKeyBytes, isSmallOrderEncoding, type KeyFault } from "./point-policy.ts"

/** Checks a raw public key (43 base64url characters of RFC 8037 `x`) once, when it enters by any door. 0.8 ms. */
export function checkPublicKey(x: string): KeyFault | null {
  const bytes = decodeBase64url(x, 32)
  return bytes ? checkKeyBytes(bytes) : "KEY_ENCODING_INVALID"
}

export type SignatureFault = "SIGNATURE_ENCODING_NON_CANONICAL" | "SIGNATURE_SMALL_ORDER_R" | "SIGNATURE_MISMATCH"

/** Why a signature does not count, or null when it does. `x` must have passed {@link checkPublicKey}. */
export function signatureFault(x: string, message: Uint8Array | string, signature: string): SignatureFault | null {
  const bytes = signatureBytes(signature)
  if (typeof bytes === "string") return bytes
  return nativeVerify(null, bytesOf(message), publicKeyObject(x), bytes) ? null : "SIGNATURE_MISMATCH"
}

/** The same by the same native verifier, on a thread of the runtime's pool: a tenth more work in all, a tenth of it on this thread. */
export async function signatureFaultAside(
  x: string,
  message: string,
  signature: string,
): Promise<SignatureFault | null> {
  const bytes = signatureBytes(signature)
  if (typeof bytes === "string") return bytes
  const isValid = await new Promise<boolean>((resolve, reject) => {
    nativeVerify(null, bytesOf(message), publicKeyObject(x), bytes, (error, verified) => {
      if (error) reject(error)
      else resolve(verified)
    })
  })
  return isValid ? null : "SIGNATURE_MISMATCH"
}

function signatureBytes(signature: string): Uint8Array | SignatureFault {
  const bytes = decodeBase64url(signature, 64)
  if (!bytes) return "SIGNATURE_ENCODING_NON_CANONICAL"
  return isSmallOrderEncoding(bytes.subarray(0, 32)) ? "SIGNATURE_SMALL_ORDER_R" : bytes
}

function bytesOf(message: Uint8Array | string): Uint8Array {
  return typeof message === "string" ? Buffer.from(message) : message
}

/** `x` must have passed {@link checkPublicKey}. `signature` is 86 canonical base64url characters. */
export function verifySignature(x: string, message: Uint8Array | string, signature: string): boolean {
  return signatureFault(x, message, signature) === null
}

/** Importing a key costs a tenth of the verification; the same few agents and organizations sign most of what comes. */
const imported = new Map<string, KeyObject>()
const IMPORTED_MAX = 1000

function publicKeyObject(x: string): KeyObject {
  const known = imported.get(x)
  if (known) return known
  const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } })
  if (imported.size >= IMPORTED_MAX) imported.clear()
  imported.set(x, key)
  return key
}

/** Signs bytes; 86 base64url characters. */
export function signWith(privateKey: KeyObject, message: Uint8Array | string): string {
  return encodeBase64url(nativeSign(null, typeof message === "string" ? Buffer.from(message) : message, privateKey))
}

/** A private key from its 32-byte RFC 8032 seed, with the public `x` that belongs to it. */
export function keyFromSeed(seed: Uint8Array): { privateKey: KeyObject; x: string } {
  if (seed.length !== 32) throw new TypeError("an Ed25519 seed has 32 bytes")
  const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed])
  const privateKey = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" })
  const { x } = createPublicKey(privateKey).export({ format: "jwk" })
  if (!x) throw new TypeError("the runtime exported no public key")
  return { privateKey, x }
}
