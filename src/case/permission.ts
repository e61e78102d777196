/** What a decision and its machine action permit. */
import type { AnswerAction, AnswerDecision } from "../../schemas/business-answer.ts"
import type { Case, Permission } from "../../schemas/case.ts"
import { GB_PAYMENT_PRODUCT } from "../../schemas/gb/payment.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import type { Decision, MachineAction } from "../../schemas/us/proof-capsule.ts"

type Row = readonly [decision: Decision | AnswerDecision, action: MachineAction | AnswerAction, Permission]

/** Every pair that an answer can have. */
const PERMISSIONS: readonly Row[] = [
  ["ALLOW", "RELEASE_PAYMENT", "PAY"],
  ["ALLOW_WITH_CONDITIONS", "HOLD_PAYMENT", "PAY_IF"],
  ["HOLD", "HOLD_PAYMENT", "HOLD"],
  ["UNDETERMINED", "HOLD_PAYMENT", "HOLD"],
  ["BLOCK", "BLOCK_PAYMENT", "STOP"],
  ["APPROVE", "CONTINUE", "PAY"],
  ["CONDITIONAL", "CONTINUE_WITH_DECLARED_CONDITIONS", "PAY_IF"],
  ["REVIEW", "HOLD_FOR_HUMAN_REVIEW", "HOLD"],
  ["BLOCK", "STOP", "STOP"],
  ["RETRY", "RETRY_LATER_WITHOUT_PAYMENT", "NO_ANSWER"],
  ["NO_DECISION", "STOP_AND_SEEK_ALTERNATIVE", "NO_ANSWER"],
]

/** Null for a pair that no answer of this program has. Then a reader must not act on it. */
export function permissionOf(decision: string, action: string): Permission | null {
  return PERMISSIONS.find(([one, other]) => one === decision && other === action)?.[2] ?? null
}

const PAYMENTS: readonly string[] = [PAYMENT_DECISION_PRODUCT, PAYMENT_AUTHORIZATION_PRODUCT, GB_PAYMENT_PRODUCT]

export function aboutOf(product: string | null): Case["about"] {
  return product !== null && PAYMENTS.includes(product) ? "PAYMENT" : "STEP"
}
