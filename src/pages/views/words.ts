/** Words for the codes that documents carry. */
import type { Case } from "../../../schemas/case.ts"
import { type CaseInput, caseOf } from "../../case/case-of.ts"
import { textAt, type Value } from "../../case/members.ts"
import { publicCaseOf } from "../../case/public-case.ts"
import { PUBLISHED_POLICIES, type PublishedPolicy } from "../../products/published-policies.ts"
import type { ReasonView, StatedDecision } from "./view.ts"

/** Null for a document that does not state both. */
export function statedDecision(decision: string | null, machineAction: string | null): StatedDecision | null {
  return decision === null || machineAction === null ? null : { decision, machineAction }
}

/** The policy of a product. Without a version the one in force. */
function policyOf(product: string | null, version: string | null): PublishedPolicy | null {
  const isMeant = (one: PublishedPolicy) => (version === null ? one.isInForce : one.document.version === version)
  return PUBLISHED_POLICIES.find((one) => one.product === product && isMeant(one)) ?? null
}

interface CaseDocuments {
  readonly answer: Value
  readonly request?: Value
  readonly facts?: Value
}

/** The case of an answer, a capsule or a delivery. Null if it states no decision. */
export function caseIn(given: CaseDocuments): Case | null {
  return caseOf(withPolicy(given))
}

/** The same for whoever has the address of the answer: without what the buyer's records know. */
export function publicCaseIn(given: CaseDocuments): Case | null {
  return publicCaseOf(withPolicy(given))
}

function withPolicy({ answer, request, facts }: CaseDocuments): CaseInput {
  const product = textAt(answer, "product_or_solution") ?? textAt(answer, "product")
  const policy = policyOf(product, textAt(answer, "policy", "version"))
  return { answer, request, facts, policy: policy && { ...policy.document, uncharged: policy.uncharged } }
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

/** What follows from the conditions and the end of a decision. The headline says what it permits, and the case has the ways out of a stop. */
export function adviceOf(conditions: readonly string[], validUntil: string | null): readonly string[] {
  return [
    ...conditions.map((code) => `Condition: ${code}.`),
    ...(validUntil === null ? [] : [`It is valid until ${validUntil}. After that, ask again.`]),
  ]
}
