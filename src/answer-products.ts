/** The eight products beside the Payment Decision, put together once at start. One row each: its operation, and what fills in the form. */
import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../schemas/operation.ts"
import { checkCompany } from "../schemas/us/company-check.ts"
import type { AnyAnswerProduct } from "./answers/answer-product.ts"
import type { AnswerSlice } from "./answers/answer-route.ts"
import { type AnswerDeps, paidAnswer } from "./answers/paid-answer.ts"
import { companyCheck } from "./products/us/company-check/product.ts"
import type { UsSources } from "./products/us/company-facts.ts"

export interface AnswerParts extends AnswerDeps {
  readonly us: UsSources
}

export function answerSlices(parts: AnswerParts): readonly AnswerSlice[] {
  const { machine, us } = parts
  const slice = (operation: Operation<TSchema>, product: AnyAnswerProduct): AnswerSlice => ({
    operation,
    product,
    paid: paidAnswer(parts, product),
  })
  return [slice(checkCompany, companyCheck(machine, us))]
}
