import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { USE } from "./hints.ts"
import { dateTime, text } from "./text.ts"

/** A closed object: the interface allows no additional properties in any object. */
export function closed<T extends Record<string, TSchema>>(
  properties: T,
  options: { $id?: string; description?: string } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

export const Digest = Type.String({
  pattern: "^sha256:[0-9a-f]{64}$",
  description: "SHA-256 as sha256:<64 lower-case hex>",
})

/** A digest, with the words for what it is over. C14N is SVC-C14N-JSON-1, as the OpenAPI document says. */
export function digestOver(over: string): typeof Digest {
  return { ...Digest, description: `sha256:<hex> over ${over}` }
}

/** The payee of an answer product. The service never sees the account behind it. */
export const PayeeFingerprint = digestOver("what the caller knows of the payee's account; only compared")
export const PayloadDigest = digestOver("C14N of payload")
export const OrganizationDigest = digestOver("what the operator entered for the organization; only compared")
export const RequestDigest = digestOver("C14N of the request without buyer_mandate and request_signature")
export const MandateDigest = digestOver("C14N of the payload of the mandate")
export const InvoiceDigest = digestOver("the invoice document that the caller has; only compared")
export const InstructionDigest = digestOver("the payment instruction that the caller has; only compared")
/** The digest of the organization where a mandate or a capsule repeats that of the request. */
export const BuyerDigest = digestOver(
  "what the operator entered for the organization, as buyer.organization_digest of the request",
)
export const DestinationFingerprint = digestOver(
  "C14N of {provider_namespace, type, value} of the destination (DESTINATION_FINGERPRINT)",
)
export const RequirementDigest = digestOver("C14N of the requirement without buyer_authorization")
export const FactsDigest = digestOver("C14N of the facts that the answer was decided on")
export const EvidenceDigest = digestOver("C14N of the evidence of the answer")
export const AssessmentDigest = digestOver("C14N of economic_risk without assessment_id and assessment_digest")

export const DateTime = dateTime("RFC 3339 date-time, at most 32 fraction digits; a leap second (:60) is refused")

export const Currency = Type.String({ pattern: "^[A-Z]{3}$", description: "ISO 4217 code" })
export const Amount = Type.String({
  pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,6})?$",
  description: "Decimal amount, at most 18 integer and 6 fraction digits",
})
/** The amount of a payment. The pattern of the interface allows zero; a later check rejects it. */
export const PaidAmount: typeof Amount = {
  ...Amount,
  description: `${Amount.description}; above zero: zero is answered 422 AMOUNT_ZERO`,
}
export const AtomicAmount = Type.String({ pattern: "^\\d{1,78}$" })
export const EvmAddress = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" })
export const Signature = Type.String({ pattern: "^[A-Za-z0-9_-]{86}$", description: "Ed25519 signature, base64url" })

/** A signature, with the words for what it is over. */
export function signatureOver(over: string): typeof Signature {
  return { ...Signature, description: `Ed25519 in base64url over ${over}` }
}

export const AgentId = Type.String({ pattern: "^svc:agent:[A-Za-z0-9_-]{32}$" })
export const KeyId = Type.String({
  pattern: "^ed25519-[A-Za-z0-9_-]{43}$",
  description: "ed25519- and the RFC 7638 thumbprint",
})
/** Identifiers of the mandate (Interface, "Buyer payment mandate"). */
export const Identifier = text(1, 160, { pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]*$" })
export const Nonce = Type.String({ pattern: "^[A-Za-z0-9_-]{32,96}$" })

/** Names a call in the logs of its caller. The service repeats both and interprets neither. */
const TraceId = text(1, 512, { [USE]: "TRACE" })
export const Correlation = closed({ correlation_id: TraceId, trace_id: TraceId })

export const SignatureObject = closed({
  algorithm: Type.Literal("Ed25519"),
  canonicalization: Type.Literal("SVC-C14N-JSON-1"),
  issuer: Identifier,
  key_id: Identifier,
  value: signatureOver("C14N of the payload beside it or the document without signatures"),
})
export type SignatureObject = Static<typeof SignatureObject>

/** A signed document: `digest` = digest(C14N(payload)); `signature` is Ed25519 over C14N(payload) (rulings 2). */
export function signedDocument<Payload extends TSchema>(payload: Payload, options: { $id?: string } = {}) {
  return closed({ payload, digest: PayloadDigest, signature: SignatureObject }, options)
}

export function enumeration<T extends string>(...values: T[]) {
  return Type.Union(values.map((value) => Type.Literal(value)))
}

/** How usable the data of a source is. */
export const SourceState = enumeration("HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED")

/** The seven limitation tokens of Agent ID (Interface, rule 5). */
export const AGENT_ID_LIMITATIONS = [
  "KEY_CONTROL_ONLY",
  "NO_LEGAL_IDENTITY_CLAIM",
  "NO_ENTERPRISE_AUTHORITY",
  "NO_PAYMENT_AUTHORITY",
  "NO_CONTENT_TRUTH_CLAIM",
  "NO_REPUTATION_CLAIM",
  "NO_OUTCOME_CLAIM",
] as const
