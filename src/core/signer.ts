import type { KeyObject } from "node:crypto"
import type { SignatureObject } from "../../schemas/common.ts"
import { CANONICALIZATION, canonicalize, joinMembers } from "./canonical-json.ts"
import { type Digest, digestBytes } from "./digest.ts"
import { signWith } from "./ed25519.ts"

/** A signing key of the service. */
export interface Signer {
  /** The configured `issuer_id` (default `svc`). */
  readonly issuer: string
  readonly keyId: string
  readonly privateKey: KeyObject
}

/** Signs C14N(value) with Ed25519. Nothing is prepended: the domain separation is inside the JSON. */
export function signValue(signer: Signer, value: unknown): SignatureObject {
  return signText(signer, canonicalize(value))
}

/** Signs a text that is already canonical. */
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

/** Returns the shape of every signed answer that this service defines: `{payload, digest, signature}` (rulings 2). */
export function signedAnswer<Payload>(signer: Signer, payload: Payload): SignedAnswer<Payload> {
  const text = canonicalize(payload)
  return { payload, digest: digestBytes(text), signature: signText(signer, text) }
}

/** Returns the canonical text of {@link signedAnswer}. `payload` is the canonical text of the payload. */
export function signedAnswerText(signer: Signer, payload: string): string {
  return joinMembers(
    new Map([
      ["digest", canonicalize(digestBytes(payload))],
      ["payload", payload],
      ["signature", canonicalize(signText(signer, payload))],
    ]),
  )
}
