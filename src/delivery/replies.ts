/**
 * HTTP responses of a paid route. Each call gets one, written at its end. A pending payment is 202 and never 402, because a stock x402
 * client signs a new payment on 402.
 */
import { hash } from "node:crypto"
import type { PendingPayment, PendingRecovery, QuoteFacts } from "../../schemas/payment-replies.ts"
import type { PaymentRequired, PaymentRequirements, SettleResponse } from "../../schemas/x402.ts"
import type { ServiceError } from "../base/errors.ts"
import type { Reply } from "../http/call.ts"
import { encodeHeader } from "../payments/payment-header.ts"
import { newTerms } from "./offer.ts"
import { PRIVATE } from "./private-headers.ts"
import type { Run } from "./questions.ts"
import type { PaidProduct, PresentedReply } from "./sale.ts"
import type { End } from "./state.ts"

const RETRY_AFTER_SECONDS = 2

/** The response of a call that ends without a refusal. */
export function replyOf({ deps, sale, call }: Run, end: Exclude<End, { do: "REFUSE" }>): Reply {
  const { product } = sale
  switch (end.do) {
    case "QUOTE":
      return quoteReply({ deps, sale, call }, newTerms(deps, sale, call.at), end)
    case "PENDING":
      return end.rail === "acp"
        ? pendingOverJob(product)
        : pendingReply(product, deps.payments.chain.asset.network, end)
    case "DELIVER":
      return deliveredReply(product, product.present(end.answer, end.replayed), end.answer.paymentResponse)
  }
}

/** The error of a call that is refused. It carries the settlement that failed, if one did. */
export function refusalOf({ error, failed }: Extract<End, { do: "REFUSE" }>): ServiceError {
  return failed ? error.withHeaders({ "payment-response": encodeHeader(failed) }) : error
}

/**
 * 402 with a quote that is bound to the body. `error`: why the presented payment was rejected. `failed`: a settlement that the chain proved
 * failed. Only a quote for a call without a payment carries the extensions: a caller that pays knows the route, and the headers of an answer have
 * a limit.
 */
function quoteReply(
  { deps, sale, call }: Run,
  terms: PaymentRequirements,
  { error = "PAYMENT-SIGNATURE header is required", failed }: Extract<End, { do: "QUOTE" }>,
): Reply {
  const { product, requestDigest, bodyDigest } = sale
  const baseUrl = deps.baseUrl()
  const extensions = call.headers.has("payment-signature") ? undefined : deps.extensionsOf(product.id)
  const plain = JSON.stringify({
    x402Version: 2,
    error,
    resource: { url: baseUrl + product.path, description: product.description, mimeType: "application/json" },
    accepts: [terms],
  } satisfies PaymentRequired)
  const required = extensions === undefined ? plain : withMember(plain, "extensions", extensions)
  const svc: QuoteFacts = {
    request_digest: requestDigest,
    body_digest: bodyDigest,
    price: {
      amount: product.price,
      amount_atomic: String(product.priceAtomic),
      asset: "USDC",
      network: terms.network,
    },
    not_a_charge: true,
    review_duty: product.reviewDuty,
    recover: product.recoverPath === null ? null : baseUrl + product.recoverPath,
  }
  return {
    status: 402,
    body: withMember(required, "svc", JSON.stringify(svc)),
    headers: {
      "payment-required": encodeHeader(required),
      ...(failed ? { "payment-response": encodeHeader(failed) } : {}),
    },
    note: { product: product.id, outcome: "quoted" },
  }
}

/** Adds a last member to the JSON text of an object that has others. */
function withMember(object: string, name: string, value: string): string {
  return `${object.slice(0, -1)},"${name}":${value}}`
}

/**
 * 202: an attempt is in progress or its outcome is unknown. The caller can repeat the same header, or call recovery where the product has
 * it; neither pays twice.
 */
function pendingReply(product: PaidProduct, network: string, { transaction, payer }: PendingPayer): Reply {
  const recovers = product.recoverPath !== null
  const response: SettleResponse = {
    success: false,
    errorReason: "settlement_pending",
    transaction,
    network,
    ...(payer ? { payer } : {}),
  }
  return {
    status: 202,
    body: {
      state: "PENDING",
      charged: "UNKNOWN",
      instruction: `Repeat this request with the same Payment-Signature${recovers ? " or call recover" : ""}. Do not sign a new payment for this request.`,
      next_machine_action: recovers ? "RETRY_WITH_SAME_PAYMENT_OR_RECOVER" : "RETRY_WITH_SAME_PAYMENT",
      retry_after_seconds: RETRY_AFTER_SECONDS,
    } satisfies PendingPayment,
    headers: {
      ...PRIVATE,
      "retry-after": String(RETRY_AFTER_SECONDS),
      "payment-response": encodeHeader(response),
    },
    note: { product: product.id, outcome: "pending" },
  }
}

type PendingPayer = Extract<End, { do: "PENDING"; rail: "x402" }>

/** 202 while an on-chain job buys the request. No payment header was used, so there is no `payment-response`. */
function pendingOverJob(product: PaidProduct): Reply {
  return pendingWithoutPayment(product, {
    ...PENDING,
    rail: "acp",
    instruction: "An on-chain job buys this request. Call recover, and do not sign a payment for it.",
  })
}

/** 202 of the recovery route, which never accepts a payment header. */
export function pendingRecovery(product: PaidProduct): Reply {
  return pendingWithoutPayment(product, {
    ...PENDING,
    instruction: "Call recover again after Retry-After, without a payment header. Do not sign a new payment.",
  })
}

const PENDING = {
  state: "PENDING",
  charged: "UNKNOWN",
  next_machine_action: "RETRY_RECOVERY",
  retry_after_seconds: RETRY_AFTER_SECONDS,
} as const

function pendingWithoutPayment(product: PaidProduct, body: PendingPayment | PendingRecovery): Reply {
  return {
    status: 202,
    body,
    headers: { ...PRIVATE, "retry-after": String(RETRY_AFTER_SECONDS) },
    note: { product: product.id, outcome: "pending" },
  }
}

/** 200 with the stored answer as its product presents it, and a Content-Digest of the bytes (RFC 9530). */
export function deliveredReply(
  product: PaidProduct,
  { body, headers }: PresentedReply,
  paymentResponse: string | null,
): Reply {
  return {
    status: 200,
    body,
    headers: {
      ...PRIVATE,
      ...headers,
      "content-digest": `sha-256=:${hash("sha256", body, "base64")}:`,
      ...(paymentResponse ? { "payment-response": paymentResponse } : {}),
    },
    note: { product: product.id, outcome: "delivered" },
  }
}
