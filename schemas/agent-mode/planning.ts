/**
 * Planning (Interface, "Agent-mode planning"): what an operation would cost, what is missing and what the caller has already.
 * CHOICE: the interface names `AgentPlanningIntent` and the results and does not show their members.
 */
import { type Static, Type } from "@sinclair/typebox"
import {
  AgentId,
  Correlation,
  closed,
  DateTime,
  digestOver,
  enumeration,
  Identifier,
  KeyId,
  MandateDigest,
  SourceState,
} from "../common.ts"
import { SHORT_FORM } from "../hints.ts"
import { mapOf, text } from "../text.ts"
import { AtomicUnits, contractMembers, endMembers, Word } from "./notation.ts"

const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])

const POINTER = "^(/([^~/]|~[01])*)*$"
/** RFC 6901 pointer into the body of the operation, or `/<name>` of a path parameter. "" is the whole body. */
const Pointer = text(0, 128, { pattern: POINTER })
const DigestText = text(71, 71, {
  pattern: "^sha256:[0-9a-f]{64}$",
  description: "sha256:<hex> over C14N of the input at this pointer",
})
const Name = text(1, 160)
const NameOrNull = orNull(Name)

const PlanningAuthority = closed({
  mandate_digest: orNull(MandateDigest),
  delegation_id: NameOrNull,
})

const InputDigests = mapOf(64, Pointer, DigestText)

export const EvidenceReference = closed({
  digest: digestOver(
    "the artifact of the wallet entry, or the response or core of a delivered answer, as that names it",
  ),
  wallet_entry_id: orNull(Name),
  authorized_by_caller: Type.Boolean(),
})
export type EvidenceReference = Static<typeof EvidenceReference>

const Token = text(1, 24_576)
const BindingDigest = digestOver("C14N of the continuation without issued_at and expires_at")
const TokenAlone = { ...Token, [SHORT_FORM]: true }

/** As a plan prints it, or its token alone. Only the token is read: it says the rest, and is signed. */
export const GivenContinuation = closed({
  token: Token,
  expires_at: Type.Optional(DateTime),
  binding_digest: Type.Optional(BindingDigest),
})

/** Never values: pointers and digests only. */
export const AgentPlanningIntent = closed(
  {
    ...contractMembers,
    intent: Word,
    product_id: NameOrNull,
    jurisdiction: orNull(Word),
    coverage: orNull(Word),
    requesting_agent: orNull(closed({ agent_id: AgentId })),
    provided_inputs: Type.Array(Pointer, { maxItems: 128 }),
    input_digests: InputDigests,
    evidence_references: Type.Array(EvidenceReference, { maxItems: 128 }),
    budget: orNull(closed({ max_amount_atomic: AtomicUnits, asset: Name, network: Name })),
    authority: PlanningAuthority,
    freshness_requirements: closed({
      max_age_seconds: Type.Integer({ minimum: 1, maximum: 604_800 }),
      evaluated_at: DateTime,
    }),
    correlation: Correlation,
    continuation: Type.Union([GivenContinuation, TokenAlone, Type.Null()]),
    idempotency_key: text(8, 120),
  },
  { $id: "AgentPlanningIntent" },
)
export type AgentPlanningIntent = Static<typeof AgentPlanningIntent>

export const PlanningOutcome = enumeration(
  "NOT_IMPLEMENTED",
  "UNSUPPORTED",
  "REUSE_AVAILABLE",
  "SOURCE_UNAVAILABLE",
  "SOURCE_STALE",
  "NOT_SOLD_NOW",
  "INSUFFICIENT_AUTHORITY",
  "INSUFFICIENT_BUDGET",
  "NEEDS_INPUT",
  "SUPPORTED",
)
export type PlanningOutcome = Static<typeof PlanningOutcome>

export const PlanningOperationId = enumeration(
  "free_agent_preflight",
  "get_autonomous_readiness",
  "get_exact_agent_quote",
  "select_best_valid_route",
  "preview_evidence_reuse",
)
export type PlanningOperationId = Static<typeof PlanningOperationId>

const PlanId = text(26, 26, { pattern: "^pln_[A-Za-z0-9_-]{22}$" })
const ContinuationId = text(26, 26, { pattern: "^cnt_[A-Za-z0-9_-]{22}$" })

export const MissingInput = closed({
  pointer: Pointer,
  supplied_by: enumeration("BUYER_ORGANIZATION", "AGENT_KEY", "EARLIER_ANSWER", "CALLER"),
})
export type MissingInput = Static<typeof MissingInput>

const Alternative = closed({
  kind: enumeration("OPERATION", "FREE_CHECK", "RECOVER", "EVIDENCE"),
  operation_id: Name,
  method: enumeration("GET", "POST"),
  uri: text(1, 2048),
})
export type Alternative = Static<typeof Alternative>

const Health = closed({
  health: SourceState,
  stale_at: orNull(DateTime),
})

/** The members of every result before `effects`. */
export const resultMembers = {
  ...contractMembers,
  domain: Type.Literal("svc.planning.result.v1"),
  service: text(1, 512),
  operation: PlanningOperationId,
  plan_id: PlanId,
  request_digest: digestOver("C14N of the planning request"),
  facts_digest: digestOver("C14N of the facts that the plan was made of"),
  intent: Word,
  product_id: NameOrNull,
  outcome: PlanningOutcome,
  reason_codes: Type.Array(Word),
  missing_inputs: Type.Array(MissingInput),
  coverage: closed({
    jurisdiction: orNull(Word),
    coverage: orNull(Word),
    supported: Type.Boolean(),
    limitations: Type.Array(Word),
  }),
  source_health: Type.Record(Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,63}$" }), Health),
  maximum_price: orNull(closed({ amount: Name, amount_atomic: AtomicUnits, asset: Name, network: NameOrNull })),
  alternatives: Type.Array(Alternative, { maxItems: 16 }),
  continuation: orNull(
    closed({
      token: Token,
      expires_at: DateTime,
      binding_digest: BindingDigest,
    }),
  ),
  continues_plan_id: orNull(PlanId),
  valid_as_of: DateTime,
  valid_until: DateTime,
} as const

export const PlanningResult = closed({ ...resultMembers, ...endMembers })
export type PlanningResult = Static<typeof PlanningResult>

/** The signed part of a continuation token: base64url(C14N(payload)) "." signature. */
export const PlanningContinuation = closed({
  domain: Type.Literal("svc.planning.continuation.v1"),
  schema_version: Type.Literal("1.0.0"),
  audience: text(1, 512),
  issuer: Identifier,
  key_id: KeyId,
  continuation_id: ContinuationId,
  plan_id: PlanId,
  intent: Word,
  product_id: NameOrNull,
  jurisdiction: orNull(Word),
  coverage: orNull(Word),
  agent_id: orNull(AgentId),
  authority: PlanningAuthority,
  input_digests: InputDigests,
  issued_at: DateTime,
  expires_at: DateTime,
})
export type PlanningContinuation = Static<typeof PlanningContinuation>
