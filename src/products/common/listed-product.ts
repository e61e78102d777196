/** What the list of products holds of each: all that is pure. `src/products/product-slices.ts` joins the rows to sources and records. */
import type { GateOutcome } from "../../../schemas/us/decision-response.ts"
import type { Policy } from "../../checks/policy/policy.ts"
import type { Signer } from "../../core/signer.ts"
import type { AnyBusinessAnswerRules } from "./answer-rules.ts"
import type { ExampleCall } from "./example-call.ts"

export interface ExampleParts {
  readonly call: ExampleCall
  /** Signs the body if the product needs it. Its issuer is the Agent ID. */
  readonly agent: Signer
  /** Signs the mandate if the product needs one. Null: the example has neither a mandate nor the signature over it. */
  readonly mandate: Signer | null
  /** Base URL of the service that answers. */
  readonly audience: string
  /** UK: undefined for the invented company. */
  readonly companyNumber: string | undefined
}

/** What the service refuses without a charge while an earlier answer of the product is valid. */
export type CoveredRefusal = "REUSABLE_DECISION_EXISTS" | "OBLIGATION_ALREADY_AUTHORIZED"

export interface RefusalReason {
  readonly refusal: CoveredRefusal
  readonly code: string
  readonly why: string
}

export interface ListedProduct {
  /** The rules of a business answer. Null for the Payment Decision, whose answer has a form of its own. */
  readonly answer: AnyBusinessAnswerRules | null
  /** Every published version. The version in force is last. */
  readonly policies: readonly Policy<unknown>[]
  readonly outcomes: Readonly<Record<GateOutcome, { readonly decision: string; readonly machineAction: string }>>
  /** Empty if a repetition is a new purchase. */
  readonly refusals: readonly CoveredRefusal[]
  /** Reason codes of such a refusal, each with its meaning. */
  readonly refusalReasons: readonly RefusalReason[]
  /** True if an agent signs the body. */
  readonly isSigned: boolean
  /** JSON pointers of the members that name the party. A rehearsal never invents them, because without them there is nothing to decide. */
  readonly party: readonly string[]
  /** A complete body. */
  example(parts: ExampleParts): object
}
