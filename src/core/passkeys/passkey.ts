/**
 * The public key of a passkey, as `credential.toJSON()` gives it at registration: SubjectPublicKeyInfo (RFC 5280) and a COSE algorithm. Runs in a
 * browser.
 */
import { bytesOfHex, decodeBase64url, encodeBase64url, sameBytes } from "../bytes.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import { readP256Point, verifyP256 } from "./p256.ts"
import { type RsaKey, readRsaKey, verifyRsa } from "./rsa.ts"

/**
 * A key that passed every check of its form. The algorithms (IANA, COSE Algorithms): EdDSA over Ed25519, ECDSA over P-256 with SHA-256,
 * RSASSA-PKCS1-v1_5 with SHA-256.
 */
export type Passkey =
  /** `x` as in RFC 8037. */
  | { readonly algorithm: -8; readonly x: string }
  | { readonly algorithm: -7; readonly point: NonNullable<ReturnType<typeof readP256Point>> }
  | ({ readonly algorithm: -257 } & RsaKey)

/** The bytes before the 32 of an Ed25519 key (RFC 8410) and before the 65 of a P-256 point (RFC 5480). */
const ED25519_PREFIX = bytesOfHex("302a300506032b6570032100")
const P256_PREFIX = bytesOfHex("3059301306072a8648ce3d020106082a8648ce3d030107034200")

/** `publicKey` is base64url. Null unless it is a key of exactly this algorithm, in DER, that a verifier may use. */
export function readPasskey(
  { publicKey, algorithm }: { readonly publicKey: string; readonly algorithm: number },
  { checkPublicKey }: Pick<DocumentCrypto, "checkPublicKey">,
): Passkey | null {
  const bytes = decodeBase64url(publicKey)
  if (bytes === null) return null
  if (algorithm === -8) {
    const raw = after(ED25519_PREFIX, bytes, 32)
    const x = raw && encodeBase64url(raw)
    return x !== null && checkPublicKey(x) === null ? { algorithm, x } : null
  }
  if (algorithm === -7) {
    const raw = after(P256_PREFIX, bytes, 65)
    const point = raw && readP256Point(raw)
    return point && { algorithm, point }
  }
  const rsa = algorithm === -257 ? readRsaKey(bytes) : null
  return rsa && { algorithm: -257, ...rsa }
}

/** True if the passkey signed the message. A signature of ECDSA is DER (RFC 3279); both of its values for one `r` are valid. */
export function verifyByPasskey(
  key: Passkey,
  { message, signature }: { readonly message: Uint8Array; readonly signature: Uint8Array },
  crypto: Pick<DocumentCrypto, "digestBytes" | "verifySignature">,
): boolean {
  if (key.algorithm === -8) {
    return signature.length === 64 && crypto.verifySignature(key.x, message, encodeBase64url(signature))
  }
  const hash = sha256Of(message, crypto)
  return key.algorithm === -7 ? verifyP256(key.point, hash, signature) : verifyRsa(key, hash, signature)
}

/** SHA-256 as 32 bytes. */
export function sha256Of(bytes: Uint8Array, { digestBytes }: Pick<DocumentCrypto, "digestBytes">): Uint8Array {
  return bytesOfHex(digestBytes(bytes).slice("sha256:".length))
}

function after(prefix: Uint8Array, bytes: Uint8Array, length: number): Uint8Array | null {
  if (bytes.length !== prefix.length + length) return null
  return sameBytes(bytes.subarray(0, prefix.length), prefix) ? bytes.slice(prefix.length) : null
}
