/** The part of a business answer that its capsule covers. The hash is a parameter: it runs in a browser. */
import type { AnswerCore, BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import { without } from "../without.ts"

/** `limitations` of a repeated copy contain this value when the first copy carried a token and the repeated copy does not (rulings 58). */
export const TOKEN_NOT_REPLAYED = "TOKEN_NOT_REPLAYED"

/** A limitation of an answer without a token, when the product issues tokens (design of decisions, "Authorization tokens"). */
export const NO_TOKEN_ISSUED = "NO_TOKEN_ISSUED"

/** The capsule members that a reader can compare with the answer alone. */
export function capsuleViewOfAnswer(core: AnswerCore, digestOf: DocumentCrypto["digestOf"]) {
  return {
    product: core.product_or_solution,
    request_id: core.request_id,
    delivery_id: core.delivery_id,
    evidence_digest: digestOf(core.evidence),
    ...decisionOf(core),
    valid_as_of: core.valid_as_of,
    valid_until: core.valid_until,
  }
}

/** What the answer decides, and why. Its capsule and its passport repeat these members. */
export function decisionOf({ decision, authorization, machine_action, reason_codes, conditions, policy }: AnswerCore) {
  return {
    decision,
    authorization,
    machine_action,
    reason_codes: [...reason_codes],
    conditions: [...conditions],
    policy,
  }
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
