/**
 * The parties that a delivered answer of any product screened, as the sale asked the lists for them. The sale, `replay --rescreen`, a judgement of a
 * hit and `review try` use the same functions, so that a judgement names exactly the party of the next answer.
 */
import type { GbFacts } from "../../schemas/gb/supplier-facts.ts"
import type { UsFacts } from "../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../schemas/us/operation-request.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import type { BoardName } from "../sources/records/party.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import type { PartyScreening } from "./common/party-screening.ts"
import { screenedNamesOf } from "./gb/supplier-facts.ts"
import { ANSWER_RULES } from "./products.ts"
import { screenedSupplier } from "./us/screening.ts"

/** A delivered answer with what it was decided from. The schemas of its product have accepted them. */
export interface DecidedAnswer {
  readonly product: string
  readonly request: object
  readonly facts: object
}

/**
 * In the order of the facts, which numbers the hits of a case. `index`: of the lists that are asked now; a UK company's number is asked for only
 * if the list has it. Throws a TypeError for an unknown product.
 */
export function screenedPartiesOf(
  { product, request, facts }: DecidedAnswer,
  index: NameIndex,
): readonly PartyScreening[] {
  if (product === PAYMENT_DECISION_PRODUCT) {
    return screenedSupplier((request as DecisionRequest).supplier, facts as UsFacts, null)
  }
  if (boardOf(product) === "US")
    return screenedSupplier((request as UsOperationRequest).company, facts as UsFacts, null)
  const { company_number: number } = request as { readonly company_number: string }
  return screenedNamesOf(index, number, (facts as GbFacts).screened_names)
}

/** The lists that the product screens, as one index. Throws a TypeError for an unknown product. */
export function boardOf(product: string): BoardName {
  if (product === PAYMENT_DECISION_PRODUCT) return "US"
  const rules = ANSWER_RULES.find(({ id }) => id === product)
  if (!rules) throw new TypeError(`no product ${product}`)
  return rules.country
}
