/**
 * Runs at build time (a Bun macro). Returns the published policies as plain data, so that the page explains reasons in their words and holds
 * no code that decides.
 */

import type { AnswerPolicyDocument, UnchargedReason } from "../../checks/policy/answer-policy.ts"
import type { PolicyReason } from "../../checks/policy/policy.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import { PAYMENT_DECISION_POLICIES, type PaymentDecisionPolicy } from "../../products/us/payment-decision/policy.ts"

/** A policy whose rows are numbers of rows of {@link SharedPolicies}. */
type NumberedPolicy = Omit<AnswerPolicyDocument, "reasons" | "uncharged"> &
  Readonly<Record<"reasons" | "uncharged", readonly number[]>>

/** Each row of an answer's policy is there once: most rows of a version are those of the version before. */
interface SharedPolicies {
  readonly reasons: readonly PolicyReason[]
  readonly uncharged: readonly UnchargedReason[]
  /** By product. */
  readonly answers: Readonly<Record<string, readonly NumberedPolicy[]>>
  readonly decision: readonly PaymentDecisionPolicy[]
}

export function publishedPolicies(): SharedPolicies {
  const [reasons, uncharged]: [PolicyReason[], UnchargedReason[]] = [[], []]
  const numbered = (policy: AnswerPolicyDocument): NumberedPolicy => ({
    ...policy,
    reasons: policy.reasons.map((row) => numberOf(row, reasons)),
    uncharged: policy.uncharged.map((row) => numberOf(row, uncharged)),
  })
  const answers = ANSWER_RULES.map(({ id, policies }) => [id, policies.map(numbered)] as const)
  const shared = { reasons, uncharged, answers: Object.fromEntries(answers), decision: PAYMENT_DECISION_POLICIES }
  return JSON.parse(JSON.stringify(shared)) as SharedPolicies
}

/** The number of a row among those before, to which it is added if it is new. */
function numberOf<Row>(row: Row, rows: Row[]): number {
  const text = JSON.stringify(row)
  const found = rows.findIndex((other) => JSON.stringify(other) === text)
  return found >= 0 ? found : rows.push(row) - 1
}
