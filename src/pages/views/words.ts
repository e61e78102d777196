/** Words for the codes that documents carry. */
import type { AnswerAction } from "../../../schemas/business-answer.ts"
import type { Case } from "../../../schemas/case.ts"
import type { MachineAction } from "../../../schemas/us/proof-capsule.ts"
import { caseOf } from "../../case/case-of.ts"
import { textAt, type Value } from "../../case/members.ts"
import { PUBLISHED_POLICIES, type PublishedPolicy } from "../../products/published-policies.ts"
import type { ReasonView, StatedDecision } from "./view.ts"

const ACTIONS: Readonly<Record<MachineAction | AnswerAction, string>> = {
  RELEASE_PAYMENT: "A machine may release the payment, after it has verified the signature and the time.",
  HOLD_PAYMENT: "Do not pay now. Clear the reasons below, or let a person decide.",
  BLOCK_PAYMENT: "Do not pay.",
  CONTINUE: "A machine may go on, after it has verified the signature and the time.",
  CONTINUE_WITH_DECLARED_CONDITIONS: "Go on only when every condition below is met.",
  HOLD_FOR_HUMAN_REVIEW: "Stop here until a person has reviewed the reasons below.",
  STOP: "Do not go on.",
  RETRY_LATER_WITHOUT_PAYMENT: "There is no answer now, and nothing was charged. Ask again later.",
  STOP_AND_SEEK_ALTERNATIVE: "There is no answer here. Look for another way.",
}

export function statedDecision(decision: string | null, machineAction: string | null): StatedDecision | null {
  if (decision === null || machineAction === null) return null
  const isKnown = Object.hasOwn(ACTIONS, machineAction)
  const meaning = isKnown
    ? ACTIONS[machineAction as keyof typeof ACTIONS]
    : "This program does not know this action. Do not act on it."
  return { decision, machineAction, meaning }
}

/** The policy of a product. Without a version the one in force. */
function policyOf(product: string | null, version: string | null): PublishedPolicy | null {
  const isMeant = (one: PublishedPolicy) => (version === null ? one.isInForce : one.document.version === version)
  return PUBLISHED_POLICIES.find((one) => one.product === product && isMeant(one)) ?? null
}

/** The case of an answer, a capsule or a delivery. Null if it states no decision. */
export function caseIn(given: {
  readonly answer: Value
  readonly request?: Value
  readonly facts?: Value
}): Case | null {
  const { answer, request, facts } = given
  const product = textAt(answer, "product_or_solution") ?? textAt(answer, "product")
  const policy = policyOf(product, textAt(answer, "policy", "version"))
  return caseOf({ answer, request, facts, policy: policy && { ...policy.document, uncharged: policy.uncharged } })
}

/** `version`: of the policy, as the document names it. */
export function reasonsOf(
  codes: readonly string[],
  product: string | null,
  version: string | null,
): readonly ReasonView[] {
  const policy = policyOf(product, version)
  return codes.map((code) => {
    const row =
      policy?.document.reasons.find((one) => one.code === code) ?? policy?.uncharged.find((one) => one.code === code)
    return { code, why: row?.why ?? null, remediation: row?.remediation ?? "" }
  })
}

/** Advice that follows from the conditions of a decision. The ways out of a stop are in the case. */
export function adviceOf(
  decision: StatedDecision | null,
  conditions: readonly string[],
  validUntil: string | null,
): readonly string[] {
  return [
    ...(decision ? [decision.meaning] : []),
    ...conditions.map((code) => `Condition: ${code}.`),
    ...(validUntil === null ? [] : [`It is valid until ${validUntil}. After that, ask again.`]),
  ]
}
