import type { KeyObject } from "node:crypto"
import type { SignatureObject } from "../../schemas/common.ts"
import { CANONICALIZATION, canonicalBytes, canonicalize } from "./canonical-json.ts"
import { type Digest, digestBytes } from "./digest.ts"
import { signWith } from "./ed25519.ts"

/** A key that signs for the service. */
export interface Signer {
  /** The configured `issuer_id` (default `svc`). */
  readonly issuer: string
  readonly keyId: string
  readonly privateKey: KeyObject
}

/** Ed25519 over C14N(value), nothing prepended: domain separation lives inside the JSON. */
export function signValue(signer: Signer, value: unknown): SignatureObject {
  return signText(signer, canonicalize(value))
}

/** The same over a text that is canonical already. */
export function signText(signer: Signer, text: string): SignatureObject {
  return {
    algorithm: "Ed25519",
    canonicalization: CANONICALIZATION,
    issuer: signer.issuer,
    key_id: signer.keyId,
    value: signWith(signer.privateKey, text),
  }
}

export interface SignedAnswer<Payload> {
  readonly payload: Payload
  readonly digest: Digest
  readonly signature: SignatureObject
}

/** The shape of every signed answer we define: `{payload, digest, signature}` (rulings 2). */
export function signedAnswer<Payload>(signer: Signer, payload: Payload): SignedAnswer<Payload> {
  return { payload, digest: digestBytes(canonicalBytes(payload)), signature: signValue(signer, payload) }
}
