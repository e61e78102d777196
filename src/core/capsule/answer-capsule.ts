/**
 * The signed capsule of a business answer. It covers the whole answer except the payment and the mark of a repeated copy. It never covers a
 * token: the stored answer has no token, so nobody can read one from the database.
 */
import type { AnswerCapsulePayload } from "../../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import { digestOf } from "../digest.ts"
import { capsuleViewOfAnswer } from "./answer-view.ts"

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
    ...capsuleViewOfAnswer(core, digestOf),
    request_digest: requestDigest,
    core_digest: digestOf(core),
    facts_digest: digestOf(facts),
    limitations: [...LIMITATIONS],
    issued_at: facts.at,
  }
}
