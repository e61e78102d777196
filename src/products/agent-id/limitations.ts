import type { AGENT_ID_LIMITATIONS } from "../../../schemas/common.ts"

/**
 * Explains each limitation token to a reader who wants to rely on an identity. It is a record, so that a token without a sentence does not
 * compile. It is part of the claim document, which is immutable per version.
 */
export const LIMITATION_MEANINGS: Readonly<Record<(typeof AGENT_ID_LIMITATIONS)[number], string>> = {
  KEY_CONTROL_ONLY: "It proves that somebody held two private keys when they signed. Nothing else follows from it.",
  NO_LEGAL_IDENTITY_CLAIM: "It does not say which person or company holds the keys, or that there is one.",
  NO_ENTERPRISE_AUTHORITY: "It does not say that the holder may act for any organization.",
  NO_PAYMENT_AUTHORITY: "It does not say that the holder may order, approve or make a payment.",
  NO_CONTENT_TRUTH_CLAIM: "It does not say that anything signed with the keys is true.",
  NO_REPUTATION_CLAIM: "It does not say how the holder behaved before. There is no score and no public history.",
  NO_OUTCOME_CLAIM: "It does not say that anything agreed with the holder was done, or will be.",
}
