import { ANSWER_SCHEMAS } from "../catalogue/answer-schemas.ts"
import type { Known } from "../catalogue/verify-file.ts"
import { verifyRules } from "../products/us/payment-decision/verify-rules.ts"
import { answerPolicies, decisionPolicies } from "./policies.ts" with { type: "macro" }
import { SCRIPT_CRYPTO } from "./script-crypto.ts"

const ANSWER_POLICIES = answerPolicies()
const DECISION_POLICIES = decisionPolicies()

/** What the page knows without a server: the products' documents and the words of their policies. */
export const KNOWN: Known = {
  crypto: SCRIPT_CRYPTO,
  answers: ANSWER_SCHEMAS.map((form) => ({ ...form, policies: ANSWER_POLICIES[form.id] ?? [] })),
  decision: verifyRules(DECISION_POLICIES, SCRIPT_CRYPTO),
}
