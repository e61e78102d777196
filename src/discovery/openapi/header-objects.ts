/** The header fields of requests and responses, and the rule for which response has which. */
import type { Operation } from "../../../schemas/operation.ts"
import { PaymentPayload, PaymentRequired, SettleResponse } from "../../../schemas/x402.ts"
import type { SchemaComponents } from "../schema-printer.ts"

const TEXT = { type: "string" } as const

type HeaderName =
  | "ContentDigest"
  | "ETag"
  | "PaymentRequired"
  | "PaymentResponse"
  | "RateLimit"
  | "RateLimitPolicy"
  | "RetryAfter"

const FIELD: Readonly<Record<HeaderName, string>> = {
  ContentDigest: "Content-Digest",
  ETag: "ETag",
  PaymentRequired: "PAYMENT-REQUIRED",
  PaymentResponse: "PAYMENT-RESPONSE",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  RetryAfter: "Retry-After",
}

/** The schemas of values that are base64 of JSON. {@link headerComponents} and {@link parameterComponents} print them. */
export const HEADER_SCHEMAS = [PaymentPayload, PaymentRequired, SettleResponse]

function encoded(contentSchema: object) {
  return { ...TEXT, contentEncoding: "base64", contentMediaType: "application/json", contentSchema }
}

export function headerComponents(schemas: SchemaComponents): Readonly<Record<HeaderName, object>> {
  return {
    ContentDigest: { description: "RFC 9530 digest of the body bytes; absent from an uncharged answer", schema: TEXT },
    ETag: { description: "Strong ETag of the body bytes", schema: TEXT },
    PaymentRequired: {
      description: "The x402 v2 quote",
      required: true,
      schema: encoded(schemas.print(PaymentRequired)),
    },
    PaymentResponse: {
      description: "The x402 v2 result of a settlement; absent if none was attempted",
      schema: encoded(schemas.print(SettleResponse)),
    },
    RateLimit: { description: "The rest of the caller's budget; also on other answers to a POST", schema: TEXT },
    RateLimitPolicy: { description: "The budget of the caller; also on other answers to a POST", schema: TEXT },
    RetryAfter: { description: "Seconds to wait", required: true, schema: { type: "integer", minimum: 1 } },
  }
}

export function parameterComponents(schemas: SchemaComponents): Readonly<Record<string, object>> {
  return {
    PaymentSignature: {
      name: "Payment-Signature",
      in: "header",
      required: false,
      description: "The x402 v2 payment for a quote of exactly this body. Without it the answer is the 402 quote",
      schema: encoded(schemas.print(PaymentPayload)),
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
    IfNoneMatch: {
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "ETag of a copy; the answer is 304 if it is current",
      schema: TEXT,
    },
  }
}

/** Returns the header objects of one response by field name. */
export function responseHeaders(operation: Operation, status: number): Readonly<Record<string, object>> {
  const names = headersOf(operation, status).map((name) => [FIELD[name], { $ref: `#/components/headers/${name}` }])
  const fixed = Object.entries(operation.headers ?? {}).map(([field, value]) => [field, { schema: { const: value } }])
  return Object.fromEntries(status < 300 ? [...names, ...fixed] : names)
}

function headersOf({ authentication, responses }: Operation, status: number): HeaderName[] {
  const isPaid = authentication === "X402"
  // A 202 without a body accepts a message, and there is nothing to ask for again.
  const isPending = status === 202 && responses[202]?.schema !== undefined
  const isDelivery = status === 200 && (isPaid || authentication === "OWNER_SIGNATURE")
  return [
    ...(isDelivery ? (["ContentDigest"] as const) : []),
    ...((status === 200 || status === 304) && responses[304] ? (["ETag"] as const) : []),
    ...(status === 402 ? (["PaymentRequired"] as const) : []),
    ...(isPaid && [200, 202, 402].includes(status) ? (["PaymentResponse"] as const) : []),
    ...(status === 429 ? (["RateLimit", "RateLimitPolicy"] as const) : []),
    ...(isPending || status === 429 || status === 503 ? (["RetryAfter"] as const) : []),
  ]
}
