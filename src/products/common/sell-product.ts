/** Handles a request for a product: sells the answer, or replies without a quote if a source fails. */
import type { DeliveryDeps } from "../../delivery/deps.ts"
import type { PaidProduct } from "../../delivery/sale.ts"
import { sell } from "../../delivery/sell.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Shell } from "../../http/shell.ts"
import { claimedPayer, presentsPayment } from "../../payments/payment-header.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import type { AnyProductRow } from "./product-row.ts"
import type { QuoteChecks } from "./quote-checks.ts"
import { saleOf } from "./sale-of.ts"
import { SourceFailure } from "./source-failure.ts"
import { unchargedReply } from "./uncharged-reply.ts"

/** A product and its adapter for the delivery path. */
export interface SoldProduct {
  readonly product: AnyProductRow
  readonly paid: PaidProduct
}

interface SellDeps {
  readonly shell: Pick<Shell, "network" | "counts">
  readonly delivery: DeliveryDeps
}

export async function sellProduct(
  { shell, delivery }: SellDeps,
  sold: SoldProduct,
  checks: QuoteChecks,
  call: Call<AnswerRequest>,
): Promise<Reply> {
  const { body: request, at, headers } = call
  const { owner, uncharged: product, country } = sold.product
  try {
    // The payer is only a claim of the header. Nothing is revealed or stored under it before its signature was verified.
    const payer = owner.kind === "PAYER" ? claimedPayer(headers) : null
    const isPaid = presentsPayment(headers)
    const rawBodyDigest = country === "GB" ? call.bodyDigest : null
    const sale = await saleOf(delivery.store, sold, checks, { request, at, isPaid, payer, rawBodyDigest })
    return await sell(delivery, sale, call)
  } catch (error) {
    if (product === null || !(error instanceof SourceFailure)) throw error
    const counts = shell.counts?.uncharged
    const deps = { machine: delivery.machine, network: shell.network, ...(counts && { counts }) }
    return unchargedReply(deps, product, { request, failure: error, at })
  }
}
