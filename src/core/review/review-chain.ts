/** The digests that chain records, and what a passkey signs of one. Runs in a browser. */
import type { Enrolment, PasskeyAssertion, ReviewEntry, ReviewRecord } from "../../../schemas/review.ts"
import { encodeBase64url } from "../bytes.ts"
import { canonicalBytes } from "../canonical-json.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import type { Digest } from "../digest.ts"
import { type CeremonyFault, checkAssertion } from "../passkeys/ceremony.ts"
import { readPasskey, sha256Of } from "../passkeys/passkey.ts"

type Chained = Pick<ReviewEntry, "sequence" | "previous_entry"> & { readonly record_digest: string }

/** The digest of a record in its place: the leaf of the log. */
export function entryDigest(
  { sequence, record_digest, previous_entry }: Chained,
  { digestOf }: Pick<DocumentCrypto, "digestOf">,
): Digest {
  return digestOf({ sequence, record_digest, previous_entry })
}

/** The challenge that a passkey signs: SHA-256 of the C14N of the record, base64url. */
export function challengeOf(record: ReviewRecord, crypto: Pick<DocumentCrypto, "digestBytes">): string {
  return encodeBase64url(sha256Of(canonicalBytes(record), crypto))
}

/** `publicKey` is a SubjectPublicKeyInfo in base64url. */
export function passkeyId(publicKey: Uint8Array, crypto: Pick<DocumentCrypto, "digestBytes">): string {
  return `passkey-${encodeBase64url(sha256Of(publicKey, crypto))}`
}

/** Checks that the key of the enrolment signed the record. `counter`: the highest that the key has shown. */
export function checkRecordAssertion(
  { record, assertion }: { readonly record: ReviewRecord; readonly assertion: PasskeyAssertion },
  { credential_id, public_key, algorithm }: Pick<Enrolment, "credential_id" | "public_key" | "algorithm">,
  counter: number,
  crypto: DocumentCrypto,
): { readonly fault: CeremonyFault } | { readonly fault: null; readonly counter: number } {
  const key = readPasskey({ publicKey: public_key, algorithm }, crypto)
  if (key === null) return { fault: "KEY" }
  const expected = { challenge: challengeOf(record, crypto), origin: record.origin }
  return checkAssertion(assertion, expected, { credentialId: credential_id, key, counter }, crypto)
}
