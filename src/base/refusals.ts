/**
 * The catalogue of all refusals. A refusal says why a request was not answered. It is not a decision (HOLD and BLOCK are delivered answers)
 * and not a bug (any other thrown value, answered with INTERNAL). Codes are stable; texts may improve.
 */
import type { FormName } from "../core/forms/form-name.ts"
import { agentModeRefusals } from "./agent-mode-refusals.ts"
import { contactRefusals } from "./contact-refusals.ts"

export interface Refusal {
  readonly status: number
  readonly title: string
  readonly next: string
  readonly retryable?: boolean
  /** The form that the refusal is about, unless the error names another one. OF_CALL: the error always names it. */
  readonly form?: FormName | "OF_CALL"
}

const CORRECT = "CORRECT_REQUEST"
const RETRY = "RETRY_LATER"
const ALTERNATIVE = "STOP_AND_SEEK_ALTERNATIVE"
const UNPAID = "RETRY_LATER_WITHOUT_PAYMENT"

/** 503: the same request may succeed later. */
const unavailable = <Next extends string>(title: string, next: Next) =>
  ({ status: 503, title, next, retryable: true }) as const

export const catalogue = {
  // Reading the request
  MALFORMED_JSON: { status: 400, title: "Body is not strict JSON", next: CORRECT },
  MALFORMED_HEADER: { status: 400, title: "A header cannot be read", next: CORRECT },
  PAYMENT_HEADER_FORBIDDEN: { status: 400, title: "This route never takes a payment", next: "REMOVE_PAYMENT_HEADER" },
  PAYMENT_HEADER_MALFORMED: { status: 400, title: "Payment header cannot be read", next: CORRECT },
  AUTHENTICATION_INVALID: {
    status: 400,
    title: "Owner authentication is stale, reused or unreadable",
    next: "SIGN_AGAIN",
    form: "RECOVERY",
  },
  IDEMPOTENCY_KEY_MISSING: { status: 400, title: "Idempotency-Key header is missing", next: CORRECT },
  IDEMPOTENCY_KEY_MISMATCH: { status: 400, title: "Idempotency-Key is not the body's key", next: CORRECT },
  BODY_DIGEST_MISSING: {
    status: 400,
    title: "X-CDO-Request-Body-Digest header is missing",
    next: CORRECT,
    form: "BODY_DIGEST",
  },
  BODY_DIGEST_MALFORMED: {
    status: 400,
    title: "X-CDO-Request-Body-Digest is not a digest",
    next: CORRECT,
    form: "BODY_DIGEST",
  },
  BODY_DIGEST_MISMATCH: {
    status: 400,
    title: "X-CDO-Request-Body-Digest is not of this body",
    next: CORRECT,
    form: "BODY_DIGEST",
  },
  REQUEST_INCOMPLETE: { status: 400, title: "The body did not arrive whole", next: "SEND_AGAIN" },
  ORIGIN_REFUSED: { status: 403, title: "No web page of this origin may call this route", next: ALTERNATIVE },
  HOST_REFUSED: { status: 403, title: "The Host header does not name this service", next: CORRECT },
  NOT_FOUND: { status: 404, title: "No such resource", next: CORRECT },
  METHOD_NOT_ALLOWED: { status: 405, title: "Method not allowed here", next: CORRECT },
  BODY_TOO_LARGE: { status: 413, title: "Body is over the limit", next: CORRECT },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, title: "Send application/json without content coding", next: CORRECT },
  SCHEMA_INVALID: { status: 422, title: "Request does not match the closed schema", next: CORRECT },
  LEAP_SECOND_UNSUPPORTED: { status: 422, title: "A date-time names a leap second", next: CORRECT },
  COVERAGE_UNSUPPORTED: { status: 422, title: "The service does not cover this", next: ALTERNATIVE },
  INTENT_UNSUPPORTED: { status: 422, title: "The service does not serve this intent", next: ALTERNATIVE },
  IDENTIFIER_INVALID: { status: 422, title: "The identifier does not pass its own check", next: CORRECT },
  RAW_BANK_DATA_REJECTED: {
    status: 422,
    title: "Raw bank data is never accepted",
    next: "SEND_FINGERPRINT_OR_REFERENCE",
  },
  CREDENTIAL_REJECTED: { status: 422, title: "Credentials are never accepted", next: CORRECT },
  RATE_LIMITED: { status: 429, title: "Too many requests from this address", next: RETRY, retryable: true },
  INTERNAL: { status: 500, title: "Internal error", next: RETRY, retryable: true },
  SERVICE_STARTING: unavailable("The service is starting", RETRY),
  SERVICE_BUSY: unavailable("Too many requests in flight", RETRY),
  NOT_READY: unavailable("The service cannot take work now", RETRY),
  SIGNING_KEY_EXPIRED: unavailable("The signing key has expired", RETRY),
  STORE_UNAVAILABLE: unavailable("The database cannot take writes now", RETRY),
  READINESS_STALE: unavailable("No recent check of the service's own state", RETRY),
  DATABASE_MOVED: unavailable("The open database is not the one at its path", RETRY),
  DISK_LOW: unavailable("Not enough free disk to keep an acquired decision", RETRY),
  DISK_RESERVED: unavailable("The free disk is kept for what is sold", RETRY),

  // Changes of payee
  NO_CHANGE_PROPOSED: { status: 422, title: "Current and proposed payee are the same", next: CORRECT },
  PROPOSED_PAYEE_DIFFERS: { status: 422, title: "The change proposes another payee than the one paid", next: CORRECT },
  REQUEST_CONTRADICTS_ITSELF: { status: 422, title: "Members of the request contradict each other", next: CORRECT },
  EVIDENCE_NOT_YET_VALID: { status: 422, title: "Evidence is dated in the future", next: CORRECT },
  EVIDENCE_ENDS_TOO_SOON: { status: 422, title: "Evidence ends within ten minutes", next: "RENEW_EVIDENCE" },

  // Delivered answers
  EXECUTION_NOT_FOUND: { status: 404, title: "No delivered answer has this execution id", next: CORRECT },
  REVIEW_NOT_FOUND: { status: 404, title: "This answer has no hit that a person can clear", next: ALTERNATIVE },
  PASSPORT_NOT_FOUND: { status: 404, title: "No delivered company check has this passport", next: CORRECT },

  // Agent ID
  PRIVATE_KEY_MATERIAL_REJECTED: { status: 422, title: "A private key was sent", next: "SEND_PUBLIC_KEYS_ONLY" },
  KEY_ENCODING_INVALID: { status: 422, title: "Public key is not canonically encoded", next: "GENERATE_NEW_KEY" },
  KEY_SMALL_ORDER: { status: 422, title: "Public key is a small-order point", next: "GENERATE_NEW_KEY" },
  KEY_MIXED_ORDER: { status: 422, title: "Public key has a torsion component", next: "GENERATE_NEW_KEY" },
  KEYS_NOT_INDEPENDENT: {
    status: 422,
    title: "Operational and recovery keys are not independent",
    next: "GENERATE_NEW_KEY",
  },
  EXPORT_TOO_LONG: { status: 409, title: "History longer than one bundle", next: "USE_STATUS_AND_JWKS" },
  AGENT_NOT_FOUND: { status: 404, title: "No such agent", next: "ENROLL_AGENT" },
  CHALLENGE_ISSUANCE_DISABLED: unavailable("Challenge issuance is off", RETRY),
  LIFECYCLE_CONFLICT: { status: 409, title: "The identity does not allow this change now", next: "READ_AGENT_STATUS" },
  CHALLENGE_NOT_FOUND: { status: 404, title: "No such challenge", next: "REQUEST_NEW_CHALLENGE" },
  CHALLENGE_EXPIRED: { status: 409, title: "Challenge has expired", next: "REQUEST_NEW_CHALLENGE" },
  CHALLENGE_SUPERSEDED: { status: 409, title: "The identity has a newer event", next: "REQUEST_NEW_CHALLENGE" },
  CHALLENGE_LOCKED: {
    status: 409,
    title: "Too many wrong proofs for this challenge",
    next: "REQUEST_NEW_CHALLENGE",
    form: "KEY_EVENT",
  },
  CHALLENGE_REPLAY: {
    status: 409,
    title: "Challenge already consumed with different proof material",
    next: "REQUEST_NEW_CHALLENGE",
    form: "KEY_EVENT",
  },
  KEY_ALREADY_ENROLLED: {
    status: 409,
    title: "A key of this challenge belongs to an identity already",
    next: "GENERATE_NEW_KEY",
  },
  PROOF_SIGNATURE_INVALID: {
    status: 422,
    title: "A proof signature does not verify",
    next: "SIGN_CHALLENGE_LOCALLY_AND_PROVE",
    form: "KEY_EVENT",
  },
  PROOF_ROLE_MISSING: {
    status: 422,
    title: "A required proof signature is missing",
    next: "SIGN_CHALLENGE_LOCALLY_AND_PROVE",
    form: "KEY_EVENT",
  },
  PROOF_DIGEST_MISMATCH: {
    status: 422,
    title: "Proof names another challenge digest",
    next: "SIGN_CHALLENGE_LOCALLY_AND_PROVE",
    form: "EVENT_DIGEST",
  },
  SIGNATURE_VERIFICATION_DISABLED: unavailable("Signature verification is off", RETRY),
  RESERVED_DOMAIN: {
    status: 422,
    title: "Payload could be one of the service's own signed forms",
    next: "SIGN_A_STATEMENT",
    form: "SIGNATURE_STATEMENT",
  },
  LOG_POSITION_INVALID: { status: 422, title: "Not a position in the log", next: CORRECT },
  LOG_NOT_THAT_LONG: { status: 404, title: "The log does not reach that far", next: "READ_CHECKPOINT" },

  // Buyers
  DELEGATION_REFUSED: {
    status: 403,
    title: "Organization, verification or signature not accepted",
    next: "CONTACT_OPERATOR",
    form: "DELEGATION",
  },
  DELEGATION_REPLAYED: {
    status: 409,
    title: "Nonce or idempotency key used for another delegation",
    next: "SIGN_NEW_DELEGATION",
    form: "DELEGATION",
  },
  DELEGATION_LIMIT_REACHED: {
    status: 409,
    title: "The key has as many delegations as one key may have",
    next: "USE_NEW_KEY",
    form: "DELEGATION",
  },
  KEY_ROLES_CONFLICT: {
    status: 409,
    title: "One key may not sign requests and mandates of the same organization",
    next: "GENERATE_NEW_KEY",
    form: "DELEGATION",
  },
  DELEGATION_NOT_FOUND: { status: 404, title: "No such delegation", next: CORRECT, form: "DELEGATION_REVOCATION" },
  REVOCATION_REFUSED: {
    status: 403,
    title: "Revocation not accepted",
    next: "CONTACT_OPERATOR",
    form: "OF_CALL",
  },
  REVOCATION_REPLAYED: { status: 409, title: "Nonce used before", next: "SIGN_AGAIN", form: "OF_CALL" },

  // Payment Decision, before any quote
  AMOUNT_ZERO: { status: 422, title: "Amount is zero", next: CORRECT },
  CURRENCY_UNKNOWN: { status: 422, title: "Currency is not an ISO 4217 code", next: CORRECT },
  EVALUATED_AT_OUT_OF_WINDOW: {
    status: 422,
    title: "evaluated_at is more than 300 seconds from now",
    next: "SIGN_NEW_REQUEST",
  },
  DIGEST_MISMATCH: {
    status: 422,
    title: "A digest or fingerprint does not recompute",
    next: "RECOMPUTE_DIGESTS",
    form: "OF_CALL",
  },
  KEY_NOT_ACTIVE: { status: 403, title: "The agent key is not active", next: "USE_ACTIVE_KEY", form: "OF_CALL" },
  REQUEST_SIGNATURE_INVALID: {
    status: 403,
    title: "Request signature does not verify",
    next: "SIGN_NEW_REQUEST",
    form: "OF_CALL",
  },
  BUYER_NOT_VERIFIED: {
    status: 403,
    title: "Buyer organization is not verified or its verification ended",
    next: "CONTACT_OPERATOR",
  },
  DELEGATION_NOT_ACTIVE: {
    status: 403,
    title: "No current delegation covers this key",
    next: "ENROLL_DELEGATION",
    form: "DELEGATION",
  },
  DELEGATION_EXCEEDED: {
    status: 403,
    title: "Request is outside the delegation's limits",
    next: "ENROLL_DELEGATION",
    form: "DELEGATION",
  },
  MANDATE_SIGNATURE_INVALID: {
    status: 403,
    title: "Mandate signature does not verify",
    next: "SIGN_NEW_MANDATE",
    form: "MANDATE",
  },
  MANDATE_NOT_BOUND: {
    status: 403,
    title: "Mandate is bound to something else",
    next: "SIGN_NEW_MANDATE",
    form: "MANDATE",
  },
  MANDATE_LIMIT_EXCEEDED: {
    status: 403,
    title: "Mandate does not cover the amount or the fee",
    next: "SIGN_NEW_MANDATE",
    form: "MANDATE",
  },
  MANDATE_NOT_CURRENT: {
    status: 403,
    title: "Mandate window does not contain now",
    next: "SIGN_NEW_MANDATE",
    form: "MANDATE",
  },
  MANDATE_REVOKED: { status: 403, title: "Mandate is revoked", next: "SIGN_NEW_MANDATE", form: "MANDATE" },
  MANDATE_ALREADY_USED: {
    status: 409,
    title: "Mandate id or nonce used by another request",
    next: "SIGN_NEW_MANDATE",
    form: "MANDATE",
  },
  IDENTIFIER_UNSUPPORTED: {
    status: 422,
    title: "No supported federal identifier with a valid check",
    next: "PROVIDE_SUPPORTED_IDENTIFIER",
  },
  IDENTITY_COLLISION: {
    status: 409,
    title: "Identifier and name or entity id disagree with earlier decisions",
    next: "CORRECT_SUPPLIER_IDENTITY",
  },
  LEGAL_NAME_REQUIRED: {
    status: 422,
    title: "Legal name is needed to screen this supplier",
    next: "PROVIDE_LEGAL_NAME",
  },
  NAME_SCRIPT_UNSUPPORTED: {
    status: 422,
    title: "Name is in a script that cannot be screened",
    next: "PROVIDE_LATIN_NAME",
  },
  PAYER_RESTRICTED: { status: 403, title: "Fee wallet is listed", next: "STOP" },
  SOURCE_UNAVAILABLE: unavailable("A required source has no data", UNPAID),
  SOURCE_STALE: unavailable("A required source is too old", UNPAID),
  SOURCE_SCHEMA_BREAK: unavailable("A required source changed its schema", UNPAID),
  SOURCE_DISABLED: { status: 503, title: "A required source is disabled", next: "SEEK_ALTERNATIVE" },
  VALIDITY_TOO_SHORT: { status: 422, title: "Decision would be valid for under ten minutes", next: "SIGN_NEW_MANDATE" },

  // Payment
  PAYMENTS_OFF: unavailable("Payments are off", RETRY),
  RESTORED_RECENTLY: unavailable("The database was restored from a backup recently", RETRY),
  PAYMENTS_OPENING: unavailable("Payments are starting", RETRY),
  CHAIN_UNVERIFIED: unavailable("The payment network is not verified yet", UNPAID),
  WRONG_CHAIN: unavailable("A node serves another payment network", UNPAID),
  SINGLE_NODE: unavailable("Live payments need a second node", UNPAID),
  FACILITATOR_UNAVAILABLE: unavailable("The facilitator does not answer", UNPAID),
  SETTLEMENT_STUCK: unavailable("A settlement has been under way for too long", UNPAID),
  CHAIN_UNAVAILABLE: unavailable("The payment network does not answer", UNPAID),
  CLOCK_OFF: unavailable("Server clock and chain head disagree", RETRY),
  RELAYER_UNFUNDED: unavailable("Settlement cannot be funded now", UNPAID),
  GAS_TOO_EXPENSIVE: unavailable("Settlement would cost too much now", UNPAID),
  ALREADY_ACQUIRED: { status: 409, title: "Decision already acquired; recover it", next: "RECOVER" },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    title: "Idempotency key used with another payload",
    next: "USE_NEW_IDEMPOTENCY_KEY",
  },
  PAYMENT_NONCE_REUSED: {
    status: 409,
    title: "This authorization is bound to another request",
    next: "SIGN_NEW_PAYMENT",
  },
  REUSABLE_DECISION_EXISTS: {
    status: 409,
    title: "A valid authorization covers exactly this payment",
    next: "USE_EARLIER_DECISION",
  },
  REFERENCE_NOT_USABLE: { status: 409, title: "A reference of the request cannot be used", next: CORRECT },
  OBLIGATION_ALREADY_AUTHORIZED: { status: 409, title: "A valid authorization covers this obligation", next: "STOP" },
  DECISION_IN_PROGRESS: {
    status: 409,
    title: "Another request holds this obligation or mandate",
    next: RETRY,
    retryable: true,
  },
  REQUEST_ALREADY_SOLD: { status: 409, title: "This signed request was bought over another rail", next: "RECOVER" },

  // Authorization tokens
  TOKEN_UNKNOWN: { status: 404, title: "No such authorization token", next: "STOP" },
  TOKEN_BINDING_MISMATCH: {
    status: 409,
    title: "The token is bound to other values",
    next: "STOP_AND_COMPARE_WITH_PAID_ANSWER",
  },
  TOKEN_SPENT: { status: 409, title: "The token was used", next: "STOP" },
  TOKEN_EXPIRED: { status: 409, title: "The token has expired", next: "REQUEST_NEW_AUTHORIZATION" },
  TOKEN_REVOKED: { status: 409, title: "The token was revoked", next: "STOP" },
  TOKEN_NOT_REVOCABLE: { status: 409, title: "A payment token cannot be revoked", next: "LET_IT_EXPIRE" },

  ...agentModeRefusals,
  ...contactRefusals,

  // Recovery
  RECOVERY_AGENT_UNKNOWN: {
    status: 422,
    title: "Owner authentication rejected: agent unknown",
    next: CORRECT,
    form: "RECOVERY",
  },
  RECOVERY_KEY_NOT_ACTIVE: {
    status: 422,
    title: "Owner authentication rejected: key not active",
    next: "USE_ACTIVE_KEY",
    form: "RECOVERY",
  },
  RECOVERY_SIGNATURE_INVALID: {
    status: 422,
    title: "Owner authentication rejected: signature",
    next: "SIGN_AGAIN",
    form: "RECOVERY",
  },
  RECOVERY_NO_MATCH: {
    status: 404,
    title: "No matching acquired request; this does not authorize a payment",
    next: "STOP",
  },
  RECOVERY_UNAVAILABLE: unavailable("Recovery is unavailable; retry recovery only", "RETRY_RECOVERY"),
} as const satisfies Record<string, Refusal>

export type ErrorCode = keyof typeof catalogue

/** Returns the entry of a code. */
export function refusalRow(code: ErrorCode): Refusal {
  return catalogue[code]
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(catalogue, code)
}
