/** Handles the request for a product: sells the answer to a buyer who pays, or replies instead of a quote. */
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import type { DeliveryDeps } from "../delivery/deps.ts"
import type { PaidProduct, Sale } from "../delivery/sale.ts"
import { sell } from "../delivery/sell.ts"
import type { Answer, Call } from "../http/call.ts"
import { claimedPayer } from "../payments/payment-header.ts"
import { USDC_BASE } from "../payments/usdc.ts"
import { findStanding } from "../store/sales/requests.ts"
import type { AnyAnswerProduct } from "./answer-product.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { firstRefusal } from "./pre-quote-check.ts"
import { askedAnswer, type QuoteChecks } from "./quote-checks.ts"
import { SourceFailure } from "./source-failure.ts"
import { unchargedAnswer } from "./uncharged-answer.ts"

/** A product and its adapter for the delivery path. */
export interface SoldAnswer {
  readonly product: AnyAnswerProduct
  readonly paid: PaidProduct
}

export async function sellAnswer(
  delivery: DeliveryDeps,
  sold: SoldAnswer,
  checks: QuoteChecks,
  call: Call<AnswerRequest>,
): Promise<Answer> {
  try {
    return await sell(delivery, await saleOf(delivery, sold, checks, call), call)
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    return unchargedAnswer(
      { machine: delivery.machine, network: USDC_BASE.network },
      sold.product,
      call.body,
      error,
      call.at,
    )
  }
}

async function saleOf(
  delivery: DeliveryDeps,
  { product, paid }: SoldAnswer,
  checks: QuoteChecks,
  call: Call<AnswerRequest>,
): Promise<Sale> {
  const { body: request } = call
  const fault = await firstRefusal(checks.entry, { request, payer: null, paid: false, at: call.at, records: null })
  if (fault) throw fault
  const requestJson = canonicalize(request)
  const digest = digestBytes(requestJson)
  // The payer is only a claim of the header. Nothing is revealed or stored under it before its signature was verified.
  const payer = claimedPayer(call.headers)
  const signer = product.signer?.(request)
  const scope = payer ?? ""
  const key = request.idempotency_key
  const standing = payer === null ? null : await delivery.store.read(() => findStanding(paid.id, scope, key))
  return {
    scope,
    key,
    requestDigest: digest,
    subject: null,
    product: paid,
    bodyDigest: digest,
    rawBodyDigest: product.country === "GB" ? call.bodyDigest : null,
    requestJson,
    organizationId: signer?.organizationId ?? null,
    agentId: signer?.agentId ?? null,
    keyId: signer?.keyId ?? null,
    amountMillionths: null,
    expectedPayer: null,
    records: { standing, soldTo: null, late: null },
    check: async (step, at) => {
      const asked = await askedAnswer(product, { request, payer, paid: step !== "QUOTE", at })
      const refusal = await firstRefusal(checks.rest, asked)
      if (refusal) throw refusal
    },
  }
}
