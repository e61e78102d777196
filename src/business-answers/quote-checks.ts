/** The checks of one product before a quote, as one list for its paid route and its eligibility route. */
import { ServiceError } from "../errors.ts"
import type { AnswerCheck, AnyBusinessAnswerProduct, CheckInput } from "./answer-product.ts"
import type { AnswerRequest, BusinessAnswerShape } from "./answer-rules.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"
import { judgeRequiredSources } from "./source-failure.ts"

export type AnyAnswerCheck = AnswerCheck<BusinessAnswerShape>
export type AnyCheckInput = CheckInput<BusinessAnswerShape>

export interface QuoteChecks {
  /** These run before the service looks up whether the request was already bought (rulings 24). */
  readonly validations: readonly AnyAnswerCheck[]
  /** These run before a quote and before a payment is accepted. */
  readonly rest: readonly AnyAnswerCheck[]
}

/** Builds the list once per route. `isRestrictedWallet`: true if the service accepts no payment from a wallet (rulings 42). */
export function quoteChecks(
  product: AnyBusinessAnswerProduct,
  isRestrictedWallet: (address: string) => boolean,
): QuoteChecks {
  const sources: AnyAnswerCheck = {
    id: "SOURCES",
    needs: product.sourcesNeed,
    judge: ({ request, at }) => judgeRequiredSources(product.sources(request, at), at),
  }
  const payerWallet: AnyAnswerCheck = {
    id: "PAYER_WALLET",
    needs: [],
    judge({ payer }) {
      if (payer === null) return NOT_EVALUATED
      return isRestrictedWallet(payer)
        ? new ServiceError("PAYER_RESTRICTED", "No payment is taken from this wallet.")
        : null
    },
  }
  return { validations: product.validations, rest: [...product.checksBeforeQuote, sources, payerWallet] }
}

/** Returns one request as the checks see it, with the service's own records that they need. */
export async function checkInputOf(
  product: AnyBusinessAnswerProduct,
  input: {
    readonly request: AnswerRequest
    readonly payer: string | null
    readonly paid: boolean
    readonly at: number
  },
): Promise<AnyCheckInput> {
  return { ...input, recordsForChecks: await product.inquire?.(input.request, input.at) }
}
