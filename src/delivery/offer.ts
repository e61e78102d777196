/** Quotes. INVARIANT: none is made before the whole pre-quote list and readiness have passed, whatever a payment header said. */
import type { SettleResponse } from "../../schemas/x402.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import type { Answer } from "../http/call.ts"
import { type Offer, QUOTE_SALT_BYTES, quoteExpiry, quoteTerms } from "../payments/quote.ts"
import { notReadyError } from "../readiness.ts"
import { quoteAnswer } from "./answers.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import type { PaidProduct, Sale } from "./sale.ts"

/** Throws why nothing may be sold now. */
export function requireReady(deps: DeliveryDeps, { priceAtomic }: Pick<PaidProduct, "priceAtomic">): void {
  const refusal = notReadyError(deps.notReady(priceAtomic))
  if (refusal) throw refusal
}

export function offerOf({ payments }: PayingDeps, { product }: Sale): Offer {
  return {
    product: product.id,
    method: "POST",
    path: product.path,
    priceAtomic: product.priceAtomic,
    asset: payments.chain.asset,
    payTo: payments.payTo,
    environment: payments.environment,
  }
}

/** The 402 itself; the caller has made sure that the list and readiness passed. */
export function newQuote(deps: PayingDeps, sale: Sale, at: number, error?: string, failed?: SettleResponse): Answer {
  const salt = encodeBase64url(deps.machine.random(QUOTE_SALT_BYTES))
  const expiresAt = quoteExpiry(Math.floor(at / SECOND))
  const terms = quoteTerms(deps.payments.quoteKey, offerOf(deps, sale), sale.bodyDigest, salt, expiresAt)
  return quoteAnswer({ sale, baseUrl: deps.baseUrl(), terms }, error, failed)
}

export interface QuoteReason {
  /** What the 402 says instead of "a payment is needed". */
  readonly error: string
  /** A quote of ours for this very body was presented: it stands for `evaluated_at` (rulings 24). */
  readonly quotedBefore: boolean
}

/** 402 with a new quote. Throws the first refusal of the pre-quote list, or why nothing may be sold now. */
export async function offerQuote(deps: PayingDeps, sale: Sale, at: number, reason: QuoteReason): Promise<Answer> {
  await sale.check(reason.quotedBefore ? "REQUOTE" : "QUOTE", at)
  requireReady(deps, sale.product)
  return newQuote(deps, sale, at, reason.error)
}
