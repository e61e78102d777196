/** The header fields of requests and responses, and the rule for which response has which. */
import type { Operation } from "../../../schemas/operation.ts"
import { PaymentPayload, PaymentRequired, SettleResponse } from "../../../schemas/x402.ts"
import type { ComponentSchemas } from "./component-schemas.ts"

const TEXT = { type: "string" } as const

type HeaderName =
  | "ContentDigest"
  | "PaymentRequired"
  | "PaymentResponse"
  | "RateLimit"
  | "RateLimitPolicy"
  | "RetryAfter"

const FIELD: Readonly<Record<HeaderName, string>> = {
  ContentDigest: "Content-Digest",
  PaymentRequired: "PAYMENT-REQUIRED",
  PaymentResponse: "PAYMENT-RESPONSE",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  RetryAfter: "Retry-After",
}

function encoded(contentSchema: object) {
  return { ...TEXT, contentEncoding: "base64", contentMediaType: "application/json", contentSchema }
}

export function headerComponents(schemas: ComponentSchemas): Readonly<Record<HeaderName, object>> {
  return {
    ContentDigest: { description: "RFC 9530 digest of the body bytes; absent from an uncharged answer", schema: TEXT },
    PaymentRequired: {
      description: "The x402 v2 quote",
      required: true,
      schema: encoded(schemas.reply(PaymentRequired, "PaymentRequired")),
    },
    PaymentResponse: {
      description: "The x402 v2 result of a settlement; absent if none was attempted",
      schema: encoded(schemas.reply(SettleResponse, "SettleResponse")),
    },
    RateLimit: { description: "The rest of the caller's budget; also on other answers to a POST", schema: TEXT },
    RateLimitPolicy: { description: "The budget of the caller; also on other answers to a POST", schema: TEXT },
    RetryAfter: { description: "Seconds to wait", required: true, schema: { type: "integer", minimum: 1 } },
  }
}

export function parameterComponents(schemas: ComponentSchemas): Readonly<Record<string, object>> {
  return {
    PaymentSignature: {
      name: "Payment-Signature",
      in: "header",
      required: false,
      description: "The x402 v2 payment for a quote of exactly this body. Without it the answer is the 402 quote",
      schema: encoded(schemas.request(PaymentPayload, "PaymentPayload")),
    },
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: true,
      description: "The body's idempotency_key, bare or as an RFC 8941 quoted string",
      schema: TEXT,
    },
    RequestBodyDigest: {
      name: "X-CDO-Request-Body-Digest",
      in: "header",
      required: true,
      description: "SHA-256 of exactly the bytes of the body",
      schema: { ...TEXT, pattern: "^sha256:[0-9a-fA-F]{64}$" },
    },
  }
}

/**
 * Returns the header objects of one response by field name. The fixed `x-` fields of a row are not among them: the operation has them as
 * its own members.
 */
export function responseHeaders(operation: Operation, status: number): Readonly<Record<string, object>> {
  const names = headersOf(operation, status).map((name) => [FIELD[name], headerReference(name)])
  const fixed = Object.entries(operation.headers ?? {}).filter(([field]) => !field.startsWith("x-"))
  return Object.fromEntries([
    ...names,
    ...(status < 300 ? fixed.map(([field, value]) => [field, { schema: { ...TEXT, enum: [value] } }]) : []),
  ])
}

function headerReference(name: HeaderName): object {
  return { $ref: `#/components/headers/${name}` }
}

function headersOf({ authentication, responses }: Operation, status: number): HeaderName[] {
  const isPaid = authentication === "X402"
  // A 202 without a body accepts a message, and there is nothing to ask for again.
  const isPending = status === 202 && responses[202]?.schema !== undefined
  const isDelivery = status === 200 && (isPaid || authentication === "OWNER_SIGNATURE")
  return [
    ...(isDelivery ? (["ContentDigest"] as const) : []),
    ...(status === 402 ? (["PaymentRequired"] as const) : []),
    ...(isPaid && [200, 202, 402].includes(status) ? (["PaymentResponse"] as const) : []),
    ...(status === 429 ? (["RateLimit", "RateLimitPolicy"] as const) : []),
    ...(isPending || status === 429 || status === 503 ? (["RetryAfter"] as const) : []),
  ]
}
