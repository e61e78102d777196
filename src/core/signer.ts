import type { KeyObject } from "node:crypto"
import type { SignatureObject } from "../../schemas/common.ts"
import { CANONICALIZATION, canonicalize } from "./canonical-json.ts"
import { type Digest, digestBytes } from "./digest.ts"
import { signAside, signWith } from "./ed25519.ts"

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

/** Signs a text that is already canonical, or its UTF-8 bytes. */
export function signText(signer: Signer, text: string | Uint8Array): SignatureObject {
  return signatureObject(signer, signWith(signer.privateKey, text))
}

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

/**
 * Returns the canonical text of {@link signedAnswer}. `payload` is the canonical text of the payload. The members are written in canonical
 * order.
 */
export function signedAnswerText(signer: Signer, payload: string): string {
  const bytes = Buffer.from(payload)
  return answerText(signer, { payload, digest: digestBytes(bytes), value: signWith(signer.privateKey, bytes) })
}

/** The same text. A thread of the runtime's pool signs. */
export async function signedAnswerTextAside(signer: Signer, payload: string): Promise<string> {
  const bytes = Buffer.from(payload)
  const signing = signAside(signer.privateKey, bytes)
  const digest = digestBytes(bytes)
  return answerText(signer, { payload, digest, value: await signing })
}

interface AnswerParts {
  readonly payload: string
  readonly digest: Digest
  /** The signature. */
  readonly value: string
}

function answerText(signer: Signer, { payload, digest, value }: AnswerParts): string {
  const signature = canonicalize(signatureObject(signer, value))
  return `{"digest":"${digest}","payload":${payload},"signature":${signature}}`
}
