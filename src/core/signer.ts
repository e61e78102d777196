import type { SignatureObject } from "../../schemas/common.ts"
import { CANONICALIZATION, canonicalize } from "./canonical-json.ts"
import { type Digest, digestBytes } from "./digest.ts"
import { type PrivateKey, signWith } from "./ed25519.ts"

/** A signing key of the service. */
export interface Signer {
  /** The configured `issuer_id` (default `svc`). */
  readonly issuer: string
  readonly keyId: string
  readonly privateKey: PrivateKey
}

/** Signs C14N(value) with Ed25519. Nothing is prepended: the domain separation is inside the JSON. */
export function signValue(signer: Signer, value: unknown): SignatureObject {
  return signText(signer, canonicalize(value))
}

/** Signs a text that is already canonical, or its UTF-8 bytes. */
export function signText(signer: Signer, text: string | Uint8Array): SignatureObject {
  return signatureObject(signer, signWith(signer.privateKey, text))
}

/** `value` is the signature, 86 base64url characters. */
function signatureObject({ issuer, keyId }: Signer, value: string): SignatureObject {
  return { algorithm: "Ed25519", canonicalization: CANONICALIZATION, issuer, key_id: keyId, value }
}

export interface SignedAnswer<Payload> {
  readonly payload: Payload
  readonly digest: Digest
  readonly signature: SignatureObject
}

/** Returns the shape of every signed answer that this service defines: `{payload, digest, signature}` (rulings 2). */
export function signedAnswer<Payload>(signer: Signer, payload: Payload): SignedAnswer<Payload> {
  const text = canonicalize(payload)
  return { payload, digest: digestBytes(text), signature: signText(signer, text) }
}
