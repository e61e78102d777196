/** Handles the request for a product: sells the answer to a buyer who pays, or replies instead of a quote. */
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import type { DeliveryDeps } from "../../delivery/deps.ts"
import type { PaidProduct, Sale } from "../../delivery/sale.ts"
import { sell } from "../../delivery/sell.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Shell } from "../../http/shell.ts"
import { claimedPayer } from "../../payments/payment-header.ts"
import { findRequestRecord } from "../../store/sales/requests.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { firstRefusal } from "./pre-quote-check.ts"
import { checkInputOf, type QuoteChecks } from "./quote-checks.ts"
import { SourceFailure } from "./source-failure.ts"
import { unchargedReply } from "./uncharged-reply.ts"

/** A product and its adapter for the delivery path. */
export interface SoldAnswer {
  readonly product: AnyBusinessAnswerProduct
  readonly paid: PaidProduct
}

export interface SellDeps {
  readonly shell: Pick<Shell, "network" | "counts">
  readonly delivery: DeliveryDeps
}

export async function sellAnswer(
  { shell, delivery }: SellDeps,
  sold: SoldAnswer,
  checks: QuoteChecks,
  call: Call<AnswerRequest>,
): Promise<Reply> {
  try {
    return await sell(delivery, await saleOf(delivery, sold, checks, call), call)
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    const counts = shell.counts?.uncharged
    const uncharged = { machine: delivery.machine, network: shell.network, ...(counts && { counts }) }
    return unchargedReply(uncharged, sold.product, call.body, error, call.at)
  }
}

async function saleOf(
  delivery: DeliveryDeps,
  { product, paid }: SoldAnswer,
  checks: QuoteChecks,
  call: Call<AnswerRequest>,
): Promise<Sale> {
  const { body: request } = call
  const fault = await firstRefusal(checks.validations, {
    request,
    payer: null,
    paid: false,
    at: call.at,
    recordsForChecks: null,
    named: null,
  })
  if (fault) throw fault
  const requestJson = canonicalize(request)
  const digest = digestBytes(requestJson)
  // The payer is only a claim of the header. Nothing is revealed or stored under it before its signature was verified.
  const payer = claimedPayer(call.headers)
  const signer = product.signer?.(request)
  const scope = payer ?? ""
  const key = request.idempotency_key
  const requestRecord = payer === null ? null : await delivery.store.read(() => findRequestRecord(paid.id, scope, key))
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
    records: { requestRecord, soldTo: null, late: null },
    requireChecksPass: async (step, at) => {
      const input = await checkInputOf(delivery.store, product, { request, payer, paid: step !== "QUOTE", at })
      const refusal = await firstRefusal(step === "PAYMENT" ? checks.paid : checks.rest, input)
      if (refusal) throw refusal
    },
  }
}
