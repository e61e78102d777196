/** Quotes. INVARIANT: a quote requires that the whole pre-quote list and readiness passed, whatever payment header was sent. */
import type { SettleResponse } from "../../schemas/x402.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import type { Reply } from "../http/call.ts"
import { type Offer, QUOTE_SALT_BYTES, quoteExpiry, quoteTerms } from "../payments/quote.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import { judgeReadiness } from "./judge-sale.ts"
import { quoteReply } from "./replies.ts"
import type { PaidProduct, Sale } from "./sale.ts"

/** Throws the reason why the service may not sell now. */
export function requireReady(deps: DeliveryDeps, product: Pick<PaidProduct, "priceAtomic">): void {
  const refusal = judgeReadiness(deps, product)
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

/** Builds the 402. The caller has already checked the pre-quote list and readiness. */
export function newQuote(deps: PayingDeps, sale: Sale, at: number, error?: string, failed?: SettleResponse): Reply {
  const salt = encodeBase64url(deps.machine.random(QUOTE_SALT_BYTES))
  const expiresAt = quoteExpiry(Math.floor(at / SECOND))
  const terms = quoteTerms(deps.payments.quoteKey, offerOf(deps, sale), sale.bodyDigest, salt, expiresAt)
  const extensions = deps.extensionsOf(sale.product.id)
  return quoteReply({ sale, baseUrl: deps.baseUrl(), terms, extensions }, error, failed)
}

export interface QuoteReason {
  /** The text of the 402 in place of "a payment is needed". */
  readonly error: string
  /** The caller presented a quote of this service for this body. The time of that quote counts in place of `evaluated_at` (rulings 24). */
  readonly quotedBefore: boolean
}

/** 402 with a new quote. Throws the first refusal of the pre-quote list, or the reason why the service may not sell now. */
export async function offerQuote(deps: PayingDeps, sale: Sale, at: number, reason: QuoteReason): Promise<Reply> {
  await sale.requireChecksPass(reason.quotedBefore ? "REQUOTE" : "QUOTE", at)
  requireReady(deps, sale.product)
  return newQuote(deps, sale, at, reason.error)
}
