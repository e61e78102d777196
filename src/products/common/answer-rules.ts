import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { AnswerCore, BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { AnswerPolicyDocument } from "../../checks/policy/answer-policy.ts"
import type { AnswerForm } from "../../offline/kinds/answer-document.ts"
import type { CheckedShape } from "./check-input.ts"

export interface AnswerRequest {
  readonly idempotency_key: string
}

/** The types of one product, under one name. */
export interface BusinessAnswerShape extends CheckedShape {
  readonly facts: AnswerFacts
  /** The service's own records as the reserving transaction read them. */
  readonly records: object
  readonly result: object
  readonly policy: AnswerPolicyDocument
}

/** Any of them, with the core of its answer. */
export interface AnyBusinessAnswer extends BusinessAnswerShape {
  readonly core: AnswerCore
}

/**
 * The part of a product that needs no machine: its price, the schemas of its documents, and its decision. Verification and replay need only
 * this part, years later and without a network.
 */
export interface BusinessAnswerRules<S extends BusinessAnswerShape> extends AnswerForm {
  readonly country: "GB" | "US"
  readonly path: string
  readonly description: string
  /** Decimal USDC with two places, as the interface prints it. */
  readonly price: string
  /** Every published version. The version in force is last. */
  readonly policies: readonly S["policy"][]
  readonly coverage: BusinessAnswer["coverage"]
  /**
   * What a UK answer is about, as members of its request by JSON pointer: whoever has the same request finds the answer in a wallet. Absent
   * for a US answer, of which a wallet keeps only the capsule.
   */
  subject?(result: S["result"]): Readonly<Record<string, string>>
  /** Pure and total. */
  decide(request: S["request"], facts: S["facts"], policy: S["policy"]): AnswerCore<S["result"]>
}

/** Any product. Its methods receive only what its own schemas have accepted. */
export type AnyBusinessAnswerRules = BusinessAnswerRules<BusinessAnswerShape>

/** Returns the policy that decides new answers. Throws a TypeError for a product without a policy. */
export function policyInForce<P extends AnswerPolicyDocument>({ policies }: { readonly policies: readonly P[] }): P {
  const policy = policies.at(-1)
  if (!policy) throw new TypeError("a product without a policy")
  return policy
}
