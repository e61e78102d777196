/** The five outcomes of a verification, each with its own values. No boolean summarises them. */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, KeyId } from "../common.ts"
import { Limitations } from "./challenge.ts"
import { KeyStatus } from "./identity.ts"
import { ReplayCheck } from "./signature.ts"

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const reasons = <T extends string>(...codes: T[]) => Type.Array(enumeration(...codes))

export const CryptographicOutcome = closed({
  outcome: enumeration("VALID", "INVALID", "NOT_EVALUATED"),
  reason_codes: reasons(
    "SIGNATURE_MISMATCH",
    "SIGNATURE_ENCODING_NON_CANONICAL",
    "SIGNATURE_SMALL_ORDER_R",
    "PAYLOAD_DIGEST_MISMATCH",
    "KEY_UNAVAILABLE",
    "ALGORITHM_UNSUPPORTED",
  ),
})
export type CryptographicOutcome = Static<typeof CryptographicOutcome>

export const ClaimedTimeRelation = enumeration(
  "WITHIN_KEY_VALIDITY",
  "AFTER_ROTATION",
  "AFTER_COMPROMISE",
  "BEFORE_KEY",
  "NO_TIME_CLAIM",
)
export type ClaimedTimeRelation = Static<typeof ClaimedTimeRelation>

export const LifecycleOutcome = closed({
  outcome: enumeration(
    "KEY_ACTIVE",
    "KEY_ROTATED",
    "KEY_REVOKED",
    "IDENTITY_REVOKED",
    "KEY_NOT_FOUND",
    "AGENT_NOT_FOUND",
    "NOT_EVALUATED",
  ),
  key_status: orNull(KeyStatus),
  claimed_time_relation: Type.Union([ClaimedTimeRelation, Type.Null()], {
    description:
      "Compares the signer's issued_at with the times of the key. AFTER_ROTATION also means after a revocation without a claimed compromise. null if there is no key",
  }),
  status_as_of: orNull(DateTime),
  head_event_digest: orNull(digestOver("C14N of the newest key event of the agent")),
  anchored_before_change: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      "true: the statement was registered before the key stopped being active, or before its claimed compromise; null: the key is active, or there is no statement",
  }),
  reason_codes: reasons("COMPROMISE_CLAIMED", "RECOVERY_KEY", "STATE_UNAVAILABLE"),
})
export type LifecycleOutcome = Static<typeof LifecycleOutcome>

export const ReplayOutcome = closed({
  outcome: enumeration("NOT_SEEN", "SEEN", "NOT_TRACKED", "NOT_EVALUATED"),
  scope: Type.Literal("AGENT_KEY_AUDIENCE_NONCE"),
  mode: ReplayCheck,
  nonce_consumed: Type.Boolean(),
  record_id: Type.Union([
    digestOver("C14N of {statement_digest, verifier_nonce} that this call recorded or repeated"),
    Type.Null(),
  ]),
  reason_codes: reasons("NO_NONCE", "NONCE_NOT_RECORDED", "KEY_UNAVAILABLE", "STATE_UNAVAILABLE"),
})
export type ReplayOutcome = Static<typeof ReplayOutcome>

export const TemporalOutcome = closed({
  outcome: enumeration(
    "WITHIN_WINDOW",
    "NOT_YET_VALID",
    "EXPIRED",
    "WINDOW_TOO_LONG",
    "NO_TIME_CLAIM",
    "NOT_EVALUATED",
  ),
  issued_at: orNull(DateTime),
  expires_at: orNull(DateTime),
  clock_skew_allowed_seconds: Type.Literal(30),
  reason_codes: reasons("TIME_NOT_IN_CALENDAR", "WINDOW_EMPTY"),
})
export type TemporalOutcome = Static<typeof TemporalOutcome>

export const DistributionOutcome = closed({
  outcome: enumeration("REGISTERED", "NOT_REGISTERED", "TRACKING_UNAVAILABLE", "NOT_EVALUATED"),
  reason_codes: reasons("NO_STATEMENT", "STATE_UNAVAILABLE"),
})
export type DistributionOutcome = Static<typeof DistributionOutcome>

export const SignatureOutcomes = closed({
  cryptographic: CryptographicOutcome,
  lifecycle: LifecycleOutcome,
  replay: ReplayOutcome,
  temporal: TemporalOutcome,
  distribution: DistributionOutcome,
})
export type SignatureOutcomes = Static<typeof SignatureOutcomes>

export const SignatureNextAction = enumeration(
  "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
  "REVIEW_LIFECYCLE",
  "REJECT_SIGNATURE",
  "REJECT_REPLAY",
  "REFRESH_AND_RETRY",
)
export type SignatureNextAction = Static<typeof SignatureNextAction>

export const AgentSignatureVerification = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    verification_id: Type.String({ pattern: "^ver_[A-Za-z0-9_-]{22}$" }),
    evaluated_at: DateTime,
    agent_id: AgentId,
    key_id: KeyId,
    statement_digest: orNull(digestOver("C14N of the statement")),
    payload_digest: digestOver("C14N of the payload"),
    outcomes: SignatureOutcomes,
    claim: Type.Literal("KEY_CONTROL_ONLY"),
    limitations: Limitations,
    valid_as_of: DateTime,
    valid_until: DateTime,
    next_machine_action: SignatureNextAction,
  },
  { $id: "AgentSignatureVerification" },
)
export type AgentSignatureVerification = Static<typeof AgentSignatureVerification>
