/** The row of a business answer: what all such products have in common, around what one of them says of itself. */
import type { TObject } from "@sinclair/typebox"
import type { Unit } from "../../store/engine/unit.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import type { AnyRecordsForChecks } from "./check-input.ts"
import { fixedOutcomeChecks } from "./fixed-outcome.ts"
import type { AnyProductRow } from "./product-row.ts"

export function answerRow(product: AnyBusinessAnswerProduct): AnyProductRow {
  const { id, country, coverage, fixedOutcome, sourcesNeed, validations, checksBeforeQuote } = product
  function* readForChecks(request: AnswerRequest, at: number): Unit<AnyRecordsForChecks> {
    const recordsForChecks = product.inquire ? yield* product.inquire(request, at) : undefined
    return { recordsForChecks, named: fixedOutcome?.named ? yield* fixedOutcome.named(request) : null }
  }
  return {
    id,
    country,
    requiredMembers: (product.schemas.request as TObject).required ?? [],
    owner: { kind: "PAYER", ...(product.signer && { signer: product.signer }) },
    entryChecks: validations,
    checksBeforeQuote: [...checksBeforeQuote, ...fixedOutcomeChecks(product)],
    ...((product.inquire || fixedOutcome?.named) && { readForChecks }),
    sourcesNeed,
    sources: product.sources,
    ...(product.unreachableSource && { unreachableSource: product.unreachableSource }),
    uncharged: product,
    coverage: () => coverage,
  }
}
