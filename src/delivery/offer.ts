/** A quote of a product: on which terms it is sold, and its form for one body. */
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import { type Offer, QUOTE_SALT_BYTES, quoteExpiry, quoteTerms } from "../payments/quote.ts"
import type { PayingDeps } from "./deps.ts"
import type { PaidProduct, Sale } from "./sale.ts"

export function offerOf(
  { payments }: PayingDeps,
  { id, path, priceAtomic }: Pick<PaidProduct, "id" | "path" | "priceAtomic">,
): Offer {
  return {
    product: id,
    method: "POST",
    path,
    priceAtomic,
    asset: payments.chain.asset,
    payTo: payments.payTo,
    environment: payments.environment,
  }
}

/** The terms of a new quote, bound to the body. `at` in milliseconds. */
export function newTerms(deps: PayingDeps, { product, bodyDigest }: Sale, at: number): PaymentRequirements {
  const quoteSalt = encodeBase64url(deps.machine.random(QUOTE_SALT_BYTES))
  const quoteExpiresAt = quoteExpiry(Math.floor(at / SECOND))
  return quoteTerms(deps.quoteKey, offerOf(deps, product), { bodyDigest, quoteSalt, quoteExpiresAt })
}
