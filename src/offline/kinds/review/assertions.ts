import type { Enrolment, ReviewEntry } from "../../../../schemas/review.ts"
import { decodeBase64url } from "../../../core/bytes.ts"
import type { DocumentCrypto } from "../../../core/crypto/document-crypto.ts"
import { checkRecordAssertion, passkeyId } from "../../../core/review/review-chain.ts"

/** The first record whose passkey did not sign it; null if all did. A record without a key has no assertion. */
export function assertionFault(entries: readonly ReviewEntry[], crypto: DocumentCrypto): string | null {
  const keys = new Map<string, Enrolment>()
  const counters = new Map<string, number>()
  for (const { sequence, record, assertion, subject } of entries) {
    const at = `record ${sequence}`
    const { key_id: keyId } = record
    if (keyId === null || assertion === null) {
      if (keyId === null && assertion === null) continue
      return `${at} has ${keyId === null ? "an assertion without a key" : "a key without an assertion"}`
    }
    if (record.kind === "ENROL" && subject?.kind === "ENROL" && !keys.has(keyId)) {
      const bytes = decodeBase64url(subject.public_key)
      if (bytes === null || passkeyId(bytes, crypto) !== subject.key_id) return `${at} enrols a key under a false id`
      keys.set(keyId, subject)
    }
    const key = keys.get(keyId)
    if (!key) return `${at} is signed by a key that was never enrolled`
    const checked = checkRecordAssertion({ record, assertion }, key, counters.get(keyId) ?? 0, crypto)
    if (checked.fault !== null) return `${at}: the assertion is not valid (${checked.fault})`
    counters.set(keyId, checked.counter)
  }
  return null
}
