/** The x402 v2 payment header: base64 of the JSON PaymentPayload. An unreadable header is 400; it never counts as "no payment". */
import type { PaymentPayload } from "../../schemas/x402.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { jsonOrUndefined } from "../core/strict-json.ts"
import { isPaymentPayload } from "./payload-shape.ts"

export const PAYMENT_HEADER_CHARACTERS_MAX = 16 * 1024

/** Some encoders break base64 into lines. A proxy may send a broken header value as one line with spaces or tabs in it (RFC 9112, 5.2). */
const LINE_BREAKS = /[\t\n\r ]+/g

export interface PresentedPayment {
  readonly payload: PaymentPayload
  /** Canonical form, so that a re-encoded payload counts as the same payment. */
  readonly json: string
  readonly sha256: string
}

export type HeaderFault =
  | "PAYMENT_HEADER_TOO_LARGE"
  | "SENT_TWICE"
  | "NOT_BASE64"
  | "NOT_STRICT_JSON"
  | "NOT_A_PAYMENT_PAYLOAD"

/** True when the request has a payment header of version 1 or 2. */
export function hasPaymentHeader(headers: Headers): boolean {
  return presentsPayment(headers) || headers.has("x-payment")
}

/** True when the request has a payment header of version 2, readable or not. */
export function presentsPayment(headers: Headers): boolean {
  return headers.has("payment-signature")
}

/** True when the request has only a payment of version 1, which counts as no payment. */
export function hasOnlyVersion1Header(headers: Headers): boolean {
  return headers.has("x-payment") && !presentsPayment(headers)
}

/** The payment, null without one, or why the header cannot be read. Ignores `X-Payment` of version 1. */
export function readPaymentHeader(headers: Headers): PresentedPayment | HeaderFault | null {
  const header = headers.get("payment-signature")
  if (header === null) return null
  if (header.length > PAYMENT_HEADER_CHARACTERS_MAX) return "PAYMENT_HEADER_TOO_LARGE"
  // The socket joins two headers of one name with a comma, and base64 has none.
  if (header.includes(",")) return "SENT_TWICE"
  const base64 = header.replace(LINE_BREAKS, "")
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return "NOT_BASE64"
  const payload: unknown = jsonOrUndefined(Buffer.from(base64, "base64"))
  if (payload === undefined) return "NOT_STRICT_JSON"
  if (!isPaymentPayload(payload)) return "NOT_A_PAYMENT_PAYLOAD"
  const json = canonicalize(payload)
  return { payload, json, sha256: digestBytes(json) }
}

/** The payer that a readable header names, in lower case; null without one. Only a claim until the payment's signature has verified. */
export function claimedPayer(headers: Headers): string | null {
  const payment = readPaymentHeader(headers)
  return payment === null || typeof payment === "string"
    ? null
    : payment.payload.payload.authorization.from.toLowerCase()
}

/** Encodes a protocol object, or its JSON, as a header value: standard base64 of the JSON (x402 v2 HTTP transport). */
export function encodeHeader(value: object | string): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64")
}
