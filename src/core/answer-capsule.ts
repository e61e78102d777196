/**
 * The signed capsule of an answer of the eight products, and what of the answer it covers: everything but what was paid and whether this
 * copy is a repetition. A token is never signed over: the stored answer has none, so that nobody reads it from the database.
 */
import type { AnswerCapsule, AnswerCapsulePayload } from "../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import type { AnswerCore, BusinessAnswer } from "../../schemas/business-answer.ts"
import { digestOf, without } from "./digest.ts"
import { type Signer, signValue } from "./signer.ts"

/** Stands in `limitations` of a copy that is given out without the token its first copy carried (rulings 58). */
export const TOKEN_NOT_REPLAYED = "TOKEN_NOT_REPLAYED"

/** What a capsule does not say, so that nobody reads it in. */
const LIMITATIONS = [
  "PAYMENT_NOT_SIGNED",
  "TOKEN_NOT_SIGNED",
  "NOT_PROOF_OF_SUPPLIER_PAYMENT",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

/** `requestDigest` is that of the whole body. */
export function answerCapsulePayload(
  core: AnswerCore,
  facts: AnswerFacts,
  requestDigest: string,
): AnswerCapsulePayload {
  return {
    domain: "svc.delivery-capsule.v1",
    schema_version: "1.0.0",
    issuer: facts.issuer,
    environment: facts.environment,
    ...capsuleViewOfAnswer(core),
    request_digest: requestDigest,
    core_digest: digestOf(core),
    facts_digest: digestOf(facts),
    limitations: [...LIMITATIONS],
    issued_at: facts.at,
  }
}

/** The capsule members that a reader of the answer alone can compare. */
export function capsuleViewOfAnswer(core: AnswerCore) {
  return {
    product: core.product_or_solution,
    request_id: core.request_id,
    delivery_id: core.delivery_id,
    evidence_digest: digestOf(core.evidence),
    decision: core.decision,
    authorization: core.authorization,
    machine_action: core.machine_action,
    reason_codes: [...core.reason_codes],
    conditions: [...core.conditions],
    policy: core.policy,
    valid_as_of: core.valid_as_of,
    valid_until: core.valid_until,
  }
}

/** `payload.issuer` must be the signer's: a capsule that names another issuer than its key's is a bug. */
export function sealAnswer(payload: AnswerCapsulePayload, signer: Signer): AnswerCapsule {
  if (payload.issuer !== signer.issuer) throw new TypeError("capsule and signer name different issuers")
  return { payload, capsule_digest: digestOf(payload), signature: signValue(signer, payload) }
}

/** The signed part of any copy of an answer: of the paid one with its token, of a repetition, of the one by execution id. */
export function coreOfAnswer(answer: BusinessAnswer): AnswerCore {
  const { result } = answer
  return {
    ...without(answer, "payment", "economic_activity"),
    replayed: false,
    limitations: answer.limitations.filter((limitation) => limitation !== TOKEN_NOT_REPLAYED),
    result: Object.hasOwn(result, "authorization_token") ? { ...result, authorization_token: "" } : result,
  }
}
