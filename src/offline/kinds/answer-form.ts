import type { TObject, TSchema } from "@sinclair/typebox"
import type { AnswerPolicyDocument } from "../../checks/policy/answer-policy.ts"

/** What offline verification needs of a product: data only, so that it also runs in a browser. */
export interface AnswerForm {
  readonly id: string
  readonly schemas: { readonly request: TSchema; readonly facts: TObject; readonly answer: TSchema }
  /** Every published version. */
  readonly policies: readonly AnswerPolicyDocument[]
}
