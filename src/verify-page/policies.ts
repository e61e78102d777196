/**
 * Runs at build time (a Bun macro). Returns the published policies as plain data, so that the page explains reasons in their words and holds
 * no code that decides.
 */

import { ANSWER_RULES } from "../catalogue/answer-rules.ts"
import type { AnswerPolicyDocument } from "../checks/policy/answer-policy.ts"
import { PAYMENT_DECISION_POLICIES, type PaymentDecisionPolicy } from "../products/us/payment-decision/policy.ts"

/** By product. */
export function answerPolicies(): Readonly<Record<string, readonly AnswerPolicyDocument[]>> {
  return plain(Object.fromEntries(ANSWER_RULES.map(({ id, policies }) => [id, policies])))
}

export function decisionPolicies(): readonly PaymentDecisionPolicy[] {
  return plain(PAYMENT_DECISION_POLICIES)
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
