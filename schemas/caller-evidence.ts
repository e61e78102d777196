/**
 * The caller's statements about a company's payee and about a change of it. Each contains an opaque reference. Bank details are never
 * accepted, and the document behind a reference remains with the caller.
 */
import type { Static } from "@sinclair/typebox"
import { closed, DateTime, enumeration, PayeeFingerprint } from "./common.ts"
import { text } from "./text.ts"

/** CHOICE: a reference has 8 to 256 characters. Shorter texts are not case numbers, and longer texts are documents. */
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

/** A supplier's own statement is not an independent challenge, because the party that requests the change could make it. */
export const ChangeChallenge = closed({
  type: enumeration("CALL_BACK_TO_KNOWN_NUMBER", "IN_PERSON", "CONFIRMATION_OF_PAYEE", "OPEN_BANKING_VERIFIED"),
  ...attested,
})
export type ChangeChallenge = Static<typeof ChangeChallenge>

/** A change of a company's payee, as UK requests state it. */
export const payeeChangeMembers = {
  current_payee_fingerprint: PayeeFingerprint,
  proposed_payee_fingerprint: PayeeFingerprint,
  /**
   * CHOICE: any text with the length of a reference. A text that is not an execution id of this service is a reference that is not found.
   */
  prior_authorization_reference: EvidenceReference,
  challenge: ChangeChallenge,
} as const

export const PayeeChange = closed(payeeChangeMembers)
export type PayeeChange = Static<typeof PayeeChange>
