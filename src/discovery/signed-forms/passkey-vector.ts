/** The vector of the form that a passkey signs: an assertion over the record, made with a published test key. */
import type { ReviewRecord } from "../../../schemas/review.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { concatBytes } from "../../core/bytes.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestOf } from "../../core/digest.ts"
import { signWith } from "../../core/ed25519.ts"
import { testKey } from "../../core/forms/test-keys.ts"
import { passkeyId } from "../../core/review/review-chain.ts"
import { sha256 } from "../../core/sha256.ts"

const KEY = testKey("REVIEWER_PASSKEY")
const ORIGIN = "https://review.svc.example"

/** SubjectPublicKeyInfo of an Ed25519 key (RFC 8410). */
const PUBLIC_KEY = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), Buffer.from(KEY.x, "base64url")])

export const RECORD_EXAMPLE = {
  domain: "svc.review-record.v1",
  audience: "https://svc.example",
  environment: "test",
  kind: "OTHER_PARTY",
  case: {
    number: 17,
    product: "us.payment.authorize.v1",
    payer: `0x${"11".repeat(20)}`,
    organization_id: null,
    response_digest: digestOf({ text: "answer" }),
    facts_digest: digestOf({ text: "facts" }),
    case_digest: digestOf({ text: "case" }),
  },
  hit: {
    party_digest: digestOf({ text: "party" }),
    source_id: "US_OFAC_SDN",
    entry_id: "90001",
    entry_hash: digestOf({ text: "entry" }),
    details_digest: null,
  },
  subject_digest: null,
  reason_digest: digestOf({ salt: "AAAAAAAAAAAAAAAAAAAAAA", text: "another owner, register extract" }),
  until: "2027-05-28T00:00:00Z",
  reviewer: "rev_AAECAwQFBgcICQoLDA0ODw",
  key_id: passkeyId(PUBLIC_KEY, NATIVE_CRYPTO),
  origin: ORIGIN,
  nonce: "example-nonce-0000000000000000000",
  recorded_at: "2026-11-23T09:00:00Z",
  answers: null,
  previous: null,
} as const satisfies ReviewRecord

const PRESENT_AND_VERIFIED = 0x05
const COUNTER = [0, 0, 0, 1]

/** `canonical`: the text of the record. */
export function passkeyVector(canonical: string) {
  const challenge = encodeBase64url(sha256(Buffer.from(canonical)))
  const clientData = Buffer.from(
    JSON.stringify({ type: "webauthn.get", challenge, origin: ORIGIN, crossOrigin: false }),
  )
  const authenticatorData = concatBytes(
    sha256(Buffer.from(new URL(ORIGIN).hostname)),
    Uint8Array.of(PRESENT_AND_VERIFIED, ...COUNTER),
  )
  return {
    test_key: KEY.name,
    public_key: encodeBase64url(PUBLIC_KEY),
    client_data_json: encodeBase64url(clientData),
    authenticator_data: encodeBase64url(authenticatorData),
    signature: signWith(KEY.privateKey, concatBytes(authenticatorData, sha256(clientData))),
  }
}
