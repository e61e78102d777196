/**
 * How persons judge answers that wait for them. Each act of a reviewer is a record, which a passkey signs. Records are only ever added; each has
 * its place in a chain, and the digest of the place is a leaf of the transparency log. An export of them verifies offline.
 */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, EvmAddress, enumeration, Identifier, Nonce, signedDocument } from "./common.ts"
import { text } from "./text.ts"

/** Characters of a reason or a note. A reason becomes that of a judgement, which has the same limit. */
const REVIEW_TEXT_MAX = 1_000
/** Persons that a policy may ask for. */
const REVIEW_PERSONS_MAX = 9
/** Organizations and payers from which one reviewer is recused. */
export const RECUSALS_MAX = 50
/** Texts of one record of a passkey, in base64url characters. An RSA signature of 4,096 bits has 683. */
const CEREMONY_TEXT_MAX = 4_096

const Base64url = (most: number) => Type.String({ pattern: `^[A-Za-z0-9_-]{1,${most}}$` })

const ReviewerId = Type.String({ pattern: "^rev_[A-Za-z0-9_-]{22}$" })
const PasskeyId = Type.String({
  pattern: "^passkey-[A-Za-z0-9_-]{43}$",
  description: "passkey- and the SHA-256 of the SubjectPublicKeyInfo in base64url",
})

/** Kinds that a passkey signs. The operator's REVOKE at the machine is not signed: it only takes rights away. */
const SIGNED_KINDS = [
  "OTHER_PARTY",
  "SAME_PARTY",
  "UNSURE",
  "CLOSE",
  "APPROVE",
  "REJECT",
  "WITHDRAW",
  "ENROL",
  "REVOKE",
  "POLICY",
] as const
/** Kinds for which the session of an enrolled reviewer is enough: they change no right and no judgement. */
export const SESSION_KINDS = ["NOTE", "ASSIGN"] as const
export const ReviewKind = enumeration(...SIGNED_KINDS, ...SESSION_KINDS)
export type ReviewKind = Static<typeof ReviewKind>

const CaseNumber = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

/** The case as its reviewer saw it, and whose answer it is: from its payer and organization a reviewer may be recused. */
const ReviewedCase = closed({
  number: CaseNumber,
  product: text(1, 160),
  payer: EvmAddress,
  organization_id: Type.Union([Identifier, Type.Null()]),
  response_digest: digestOver("C14N of the payload of the answer's capsule"),
  facts_digest: digestOver("C14N of the facts of the answer"),
  case_digest: digestOver("C14N of the case that the reviewer saw"),
})
export type ReviewedCase = Static<typeof ReviewedCase>

/** The screened party beside the listed entry. */
const ReviewedHit = closed({
  party_digest: digestOver("C14N of the screened party"),
  source_id: text(1, 64),
  entry_id: text(1, 160),
  entry_hash: digestOver("C14N of the entry as the list has it"),
  details_digest: Type.Union([digestOver("C14N of what the publisher prints about the entry"), Type.Null()]),
})

/** The signed form. The challenge of the assertion is the SHA-256 of its C14N. */
export const ReviewRecord = closed({
  domain: Type.Literal("svc.review-record.v1"),
  audience: text(1, 512),
  environment: enumeration("live", "test"),
  kind: ReviewKind,
  case: Type.Union([ReviewedCase, Type.Null()]),
  hit: Type.Union([ReviewedHit, Type.Null()]),
  subject_digest: Type.Union([
    digestOver("C14N of the key, policy or assignment that the record is about"),
    Type.Null(),
  ]),
  reason_digest: Type.Union([digestOver("C14N of {salt, text} of the reason or the note"), Type.Null()]),
  until: Type.Union([DateTime, Type.Null()]),
  reviewer: Type.Union([ReviewerId, Type.Null()], { description: "Null: the operator at the machine" }),
  key_id: Type.Union([PasskeyId, Type.Null()], { description: "Null: no passkey signed" }),
  origin: text(1, 512, { description: "Where the reviewer worked; the host is the relying party of the passkey" }),
  nonce: Nonce,
  recorded_at: DateTime,
  answers: Type.Union([digestOver("C14N of the record that it approves, rejects or withdraws"), Type.Null()]),
  previous: Type.Union([digestOver("C14N of the record before it about this case, or about reviewers"), Type.Null()]),
})
export type ReviewRecord = Static<typeof ReviewRecord>

/** What `credential.toJSON()` says of an assertion, without what nobody verifies. */
export const PasskeyAssertion = closed({
  credential_id: Base64url(CEREMONY_TEXT_MAX),
  client_data_json: Base64url(CEREMONY_TEXT_MAX),
  authenticator_data: Base64url(CEREMONY_TEXT_MAX),
  signature: {
    ...Base64url(CEREMONY_TEXT_MAX),
    description: "Of a passkey in base64url over authenticator data and the SHA-256 of the client data",
  },
})
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** From whose cases a reviewer is recused: `org:` and the id of an organization, or `payer:` and an address in lower case. */
export const Recusal = text(5, 170, {
  pattern: "^(org:[A-Za-z0-9][A-Za-z0-9._:-]*|payer:0x[0-9a-f]{40})$",
})

export const Enrolment = closed({
  kind: Type.Literal("ENROL"),
  reviewer: ReviewerId,
  name: text(1, 160),
  recusals: Type.Array(Recusal, { maxItems: RECUSALS_MAX, uniqueItems: true }),
  key_id: PasskeyId,
  credential_id: Base64url(CEREMONY_TEXT_MAX),
  /** SubjectPublicKeyInfo. */
  public_key: Base64url(CEREMONY_TEXT_MAX),
  algorithm: Type.Union([Type.Literal(-8), Type.Literal(-7), Type.Literal(-257)]),
  /** Why the operator admits the key without the approvals that the policy asks for. */
  break_glass: Type.Union([text(1, REVIEW_TEXT_MAX), Type.Null()]),
})
export type Enrolment = Static<typeof Enrolment>

const KeyRevocation = closed({ kind: Type.Literal("REVOKE"), key_id: PasskeyId })

const Persons = Type.Integer({ minimum: 1, maximum: REVIEW_PERSONS_MAX })
/** `persons` must judge, of at least `of` who can. */
const PolicyChange = closed({ kind: Type.Literal("POLICY"), persons: Persons, of: Persons })

const Assignment = closed({ kind: Type.Literal("ASSIGN"), assignee: Type.Union([ReviewerId, Type.Null()]) })

/** What a record of the same kind is about. */
export const ReviewSubject = Type.Union([Enrolment, KeyRevocation, PolicyChange, Assignment])
export type ReviewSubject = Static<typeof ReviewSubject>

/** The salt goes with the text when a note is redacted, so that the digest that stays tells nothing. */
const ReviewReason = closed({ salt: Base64url(22), text: text(1, REVIEW_TEXT_MAX) })
export type ReviewReason = Static<typeof ReviewReason>

const Hash = Type.String({ pattern: "^[A-Za-z0-9+/]{43}=$", description: "32 bytes, base64" })

/** A record in its place. The leaf of the log is the digest of {sequence, record_digest, previous_entry}. */
export const ReviewEntry = closed({
  sequence: Type.Integer({ minimum: 1 }),
  previous_entry: Type.Union([
    digestOver("C14N of {sequence, record_digest, previous_entry} of the record before"),
    Type.Null(),
  ]),
  record: ReviewRecord,
  assertion: Type.Union([PasskeyAssertion, Type.Null()]),
  subject: Type.Union([ReviewSubject, Type.Null()]),
  reason: Type.Union([ReviewReason, Type.Null()], { description: "Null: none, or a redacted note" }),
  place: closed({
    log_index: Type.Integer({ minimum: 0 }),
    map_root: Hash,
    inclusion_path: Type.Array(Hash, { maxItems: 64 }),
  }),
})
export type ReviewEntry = Static<typeof ReviewEntry>

export const ReviewState = enumeration("OPEN", "PROPOSED", "DECIDED", "CLOSED")
export type ReviewState = Static<typeof ReviewState>

export const ReviewCaseRow = closed({
  number: CaseNumber,
  opened_at: DateTime,
  product: text(1, 160),
  permission: Type.String(),
  decision: Type.String(),
  code: Type.String(),
  currency: Type.Union([Type.String(), Type.Null()]),
  amount: Type.Union([Type.String(), Type.Null()]),
  score_permille: Type.Union([Type.Integer(), Type.Null()]),
  supplier: Type.String(),
  payer: EvmAddress,
  organization_id: Type.Union([Identifier, Type.Null()]),
  state: ReviewState,
  assignee: Type.Union([ReviewerId, Type.Null()]),
})
export type ReviewCaseRow = Static<typeof ReviewCaseRow>

/** A judgement of the screening that came from records. */
export const ReviewJudgement = closed({
  suppression_id: text(1, 64),
  record_digest: digestOver("C14N of the record of the kind OTHER_PARTY"),
  party_digest: ReviewedHit.properties.party_digest,
  source_id: text(1, 64),
  entry_id: text(1, 160),
  entry_hash: ReviewedHit.properties.entry_hash,
  created_at: DateTime,
  expires_at: DateTime,
})
export type ReviewJudgement = Static<typeof ReviewJudgement>

/** What `bizauth review export` signs. */
export const ReviewExportPayload = closed({
  domain: Type.Literal("svc.review-export.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Identifier,
  audience: text(1, 512),
  environment: enumeration("live", "test"),
  issued_at: DateTime,
  /** Null: every record. Else those about these cases and those about reviewers. */
  case_numbers: Type.Union([Type.Array(CaseNumber, { minItems: 1, maxItems: 1_000 }), Type.Null()]),
  /** Records of the service. */
  entry_count: Type.Integer({ minimum: 0 }),
  entries: Type.Array(ReviewEntry),
  cases: Type.Array(ReviewCaseRow),
  judgements: Type.Array(ReviewJudgement),
  /** The newest checkpoint of the log. */
  checkpoint: text(1, 16_384),
})
export type ReviewExportPayload = Static<typeof ReviewExportPayload>

export const ReviewExport = signedDocument(ReviewExportPayload)
export type ReviewExport = Static<typeof ReviewExport>
