/** The checks of one product before a quote, as one list for its paid route and its eligibility route. */
import { ServiceError } from "../../base/errors.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import type { AnswerCheck, AnyBusinessAnswerProduct, CheckInput } from "./answer-product.ts"
import type { AnswerRequest, BusinessAnswerShape } from "./answer-rules.ts"
import { fixedOutcomeChecks } from "./fixed-outcome.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"
import { judgeRequiredSources } from "./source-failure.ts"

export type AnyAnswerCheck = AnswerCheck<BusinessAnswerShape>
export type AnyCheckInput = CheckInput<BusinessAnswerShape>

export interface QuoteChecks {
  /** These run before the service looks up whether the request was already bought (rulings 24). */
  readonly validations: readonly AnyAnswerCheck[]
  /** These run before a quote. */
  readonly rest: readonly AnyAnswerCheck[]
  /** Those of `rest` that run before a payment is accepted. The reserving transaction makes the others. */
  readonly paid: readonly AnyAnswerCheck[]
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
  const rest = [...product.checksBeforeQuote, ...fixedOutcomeChecks(product), sources, payerWallet]
  return { validations: product.validations, rest, paid: rest.filter(({ inReserve }) => !inReserve) }
}

/** Returns one request as the checks see it, with the service's own records that they need, from one view of the database. */
export async function checkInputOf(
  store: Store,
  product: AnyBusinessAnswerProduct,
  input: {
    readonly request: AnswerRequest
    readonly payer: string | null
    readonly paid: boolean
    readonly at: number
  },
): Promise<AnyCheckInput> {
  const { request, at } = input
  const { fixedOutcome } = product
  if (!product.inquire && !fixedOutcome?.named) return { ...input, recordsForChecks: undefined, named: null }
  return store.read(function* (): Unit<AnyCheckInput> {
    const recordsForChecks = product.inquire ? yield* product.inquire(request, at) : undefined
    return { ...input, recordsForChecks, named: fixedOutcome?.named ? yield* fixedOutcome.named(request) : null }
  })
}
