import { type Static, Type } from "@sinclair/typebox"
import { AnswerAction, AnswerAuthorization, AnswerDecision, AnswerPolicy } from "./business-answer.ts"
import { closed, DateTime, digestOver, EvidenceDigest, FactsDigest, PayloadDigest, SignatureObject } from "./common.ts"
import { StatedEnvironment } from "./environment.ts"

/** Header of the capsule: base64url of its C14N bytes (rulings 16). */
export const CAPSULE_HEADER = "svc-proof-capsule"

/**
 * The signed payload about a delivered business answer (rulings 16). `core_digest` covers every member except `payment` and
 * `economic_activity`, with `replayed` false and without the token. The capsule never contains the execution id, because a reader of the
 * capsule must not be able to fetch the answer.
 */
export const AnswerCapsulePayload = closed({
  domain: Type.Literal("svc.delivery-capsule.v1"),
  schema_version: Type.Literal("1.0.0"),
  issuer: Type.String(),
  environment: StatedEnvironment,
  product: Type.String(),
  request_id: Type.String(),
  delivery_id: Type.String(),
  request_digest: digestOver("C14N of the request body"),
  core_digest: digestOver(
    "C14N of the answer without payment and economic_activity, with replayed false and an empty authorization_token",
  ),
  facts_digest: FactsDigest,
  evidence_digest: EvidenceDigest,
  decision: AnswerDecision,
  authorization: AnswerAuthorization,
  machine_action: AnswerAction,
  reason_codes: Type.Array(Type.String()),
  conditions: Type.Array(Type.String()),
  policy: AnswerPolicy,
  valid_as_of: DateTime,
  valid_until: DateTime,
  limitations: Type.Array(Type.String()),
  issued_at: DateTime,
})
export type AnswerCapsulePayload = Static<typeof AnswerCapsulePayload>

/** `capsule_digest` = digest(C14N(payload)); `signature` is Ed25519 over C14N(payload). */
export const AnswerCapsule = closed({
  payload: AnswerCapsulePayload,
  capsule_digest: PayloadDigest,
  signature: SignatureObject,
})
export type AnswerCapsule = Static<typeof AnswerCapsule>
