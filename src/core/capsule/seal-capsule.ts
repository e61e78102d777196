import type { SignatureObject } from "../../../schemas/common.ts"
import type { Digest } from "../digest.ts"
import { type Signer, signedAnswer } from "../signer.ts"

/** The signed form of both kinds of capsules. */
interface Sealed<Payload> {
  readonly payload: Payload
  readonly capsule_digest: Digest
  readonly signature: SignatureObject
}

/** Throws a TypeError if `payload.issuer` is not the issuer of the signer. */
export function sealCapsule<Payload extends { readonly issuer: string }>(
  payload: Payload,
  signer: Signer,
): Sealed<Payload> {
  if (payload.issuer !== signer.issuer) throw new TypeError("capsule and signer name different issuers")
  const { digest, signature } = signedAnswer(signer, payload)
  return { payload, capsule_digest: digest, signature }
}
