/**
 * A JSON Web Signature with detached payload (RFC 7515 appendix F) over canonical JSON, made with EdDSA (RFC 8037). Its signing input is two
 * base64url texts with a dot between them, so no signature over canonical JSON is valid for it, and none of its signatures for canonical JSON.
 */
import { encodeBase64url } from "../core/base64url.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { signWith } from "../core/ed25519.ts"
import type { Signer } from "../core/signer.ts"

interface DetachedJws {
  readonly protected: string
  readonly signature: string
}

/** `header`: protected members besides `alg` and `kid`. */
export function detachedJws(signer: Signer, header: Readonly<Record<string, string>>, payload: object): DetachedJws {
  const protectedHeader = encodeBase64url(canonicalBytes({ ...header, alg: "EdDSA", kid: signer.keyId }))
  const input = `${protectedHeader}.${encodeBase64url(canonicalBytes(payload))}`
  return { protected: protectedHeader, signature: signWith(signer.privateKey, input) }
}
