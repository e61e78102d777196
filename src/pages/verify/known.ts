import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import type { AnswerPolicyDocument } from "../../checks/policy/answer-policy.ts"
import type { Known } from "../../offline/given/verify-inputs.ts"
import { PORTABLE_CRYPTO } from "../../offline/portable/portable-crypto.ts"
import { publishedPolicies } from "./policies.ts" with { type: "macro" }

const PUBLISHED = publishedPolicies()

function policiesOf(product: string): readonly AnswerPolicyDocument[] {
  const { reasons, uncharged, answers } = PUBLISHED
  return (answers[product] ?? []).map((policy) => ({
    ...policy,
    reasons: policy.reasons.map((at) => numbered(reasons, at)),
    uncharged: policy.uncharged.map((at) => numbered(uncharged, at)),
  }))
}

function numbered<Row>(rows: readonly Row[], at: number): Row {
  const row = rows[at]
  if (row === undefined) throw new RangeError(`no row ${at}`)
  return row
}

/** What the page knows without a server: the products' documents and the words of their policies. */
export const KNOWN: Known = {
  crypto: PORTABLE_CRYPTO,
  answers: ANSWER_PRODUCTS.map(({ id, schemas }) => ({ id, schemas, policies: policiesOf(id) })),
  decision: { policies: PUBLISHED.decision },
}
