/**
 * The signed capsule of a business answer. It covers the whole answer except the payment and the mark of a repeated copy. It never covers a
 * token: the stored answer has no token, so nobody can read one from the database.
 */
import type { AnswerCapsule, AnswerCapsulePayload } from "../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import type { AnswerCore, BusinessAnswer } from "../../schemas/business-answer.ts"
import { digestOf, without } from "./digest.ts"
import { type Signer, signValue } from "./signer.ts"

/** `limitations` of a repeated copy contain this value when the first copy carried a token and the repeated copy does not (rulings 58). */
export const TOKEN_NOT_REPLAYED = "TOKEN_NOT_REPLAYED"

/** Statements that the capsule does not make. They are listed so that no reader assumes them. */
const LIMITATIONS = [
  "PAYMENT_NOT_SIGNED",
  "TOKEN_NOT_SIGNED",
  "NOT_PROOF_OF_SUPPLIER_PAYMENT",
  "KEY_STATUS_NOT_INCLUDED",
  "VALID_ONLY_WITHIN_WINDOW",
]

/** `requestDigest` is the digest of the whole request body. */
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

/** The capsule members that a reader can compare with the answer alone. */
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

/** Throws a TypeError if `payload.issuer` is not the issuer of the signer. */
export function sealAnswer(payload: AnswerCapsulePayload, signer: Signer): AnswerCapsule {
  if (payload.issuer !== signer.issuer) throw new TypeError("capsule and signer name different issuers")
  return { payload, capsule_digest: digestOf(payload), signature: signValue(signer, payload) }
}

/** Returns the signed part of any copy of an answer: the paid copy with its token, a repetition, or the copy fetched by execution id. */
export function coreOfAnswer(answer: BusinessAnswer): AnswerCore {
  const { result } = answer
  return {
    ...without(answer, "payment", "economic_activity"),
    replayed: false,
    limitations: answer.limitations.filter((limitation) => limitation !== TOKEN_NOT_REPLAYED),
    result: Object.hasOwn(result, "authorization_token") ? { ...result, authorization_token: "" } : result,
  }
}
