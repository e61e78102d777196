/**
 * The cryptography of an offline check in plain JavaScript. It uses no WebCrypto: a page on a plain-HTTP network or in a file has none, and it
 * answers only asynchronously.
 */
import { decodeBase64url } from "../../core/bytes.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { Digest } from "../../core/digest.ts"
import { isSmallOrderEncoding } from "../../core/point-policy.ts"
import { checkKey, verifyCofactorless } from "./crypto.ts"
import { digestText, hashOfText, keyIdOf, sha256 } from "./encoding.ts"

export const PORTABLE_CRYPTO: DocumentCrypto = {
  digestBytes,
  digestOf: (value) => digestBytes(canonicalize(value)),
  keyIdOf,
  checkPublicKey: checkKey,
  verifySignature(x, message, signature) {
    const key = decodeBase64url(x, 32)
    const bytes = decodeBase64url(signature, 64)
    if (key === null || bytes === null || isSmallOrderEncoding(bytes.subarray(0, 32))) return false
    return verifyCofactorless(key, message, bytes)
  },
}

function digestBytes(bytes: Uint8Array | string): Digest {
  return digestText(typeof bytes === "string" ? hashOfText(bytes) : sha256(bytes)) as Digest
}
