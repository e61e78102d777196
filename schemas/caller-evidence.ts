/**
 * What a caller attests about where a company is paid, and about a change of it. An opaque reference each time: bank details are never
 * accepted, and what stands behind a reference stays with the caller.
 */
import type { Static } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "./common.ts"
import { text } from "./text.ts"

/** CHOICE: a reference is 8 to 256 characters: shorter ones are no one's case number, longer ones are documents. */
export const EvidenceReference = text(8, 256)

const attested = {
  verified_at: DateTime,
  valid_until: DateTime,
  reference: EvidenceReference,
}

export const BindingEvidence = closed({
  type: enumeration(
    "CONFIRMATION_OF_PAYEE",
    "OPEN_BANKING_VERIFIED",
    "CALL_BACK_TO_KNOWN_NUMBER",
    "IN_PERSON",
    "SUPPLIER_STATEMENT",
  ),
  ...attested,
})
export type BindingEvidence = Static<typeof BindingEvidence>

/** A supplier's own statement is no independent challenge: whoever asks for the change would make it. */
export const ChangeChallenge = closed({
  type: enumeration("CALL_BACK_TO_KNOWN_NUMBER", "IN_PERSON", "CONFIRMATION_OF_PAYEE", "OPEN_BANKING_VERIFIED"),
  ...attested,
})
export type ChangeChallenge = Static<typeof ChangeChallenge>

/** A change of the place a company is paid at, as the UK requests state it. */
export const payeeChangeMembers = {
  current_payee_fingerprint: Digest,
  proposed_payee_fingerprint: Digest,
  /** CHOICE: any text of a reference's length; one that is no execution id of ours is a reference that is not found. */
  prior_authorization_reference: EvidenceReference,
  challenge: ChangeChallenge,
} as const

export const PayeeChange = closed(payeeChangeMembers)
export type PayeeChange = Static<typeof PayeeChange>
