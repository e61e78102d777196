/** The x402 v2 payment header: base64 of the JSON PaymentPayload. Unreadable is 400, never treated as "no payment". */
import type { PaymentPayload } from "../../schemas/x402.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import { isPaymentPayload } from "./payload-shape.ts"

export const PAYMENT_HEADER_CHARACTERS_MAX = 16 * 1024

export interface PresentedPayment {
  readonly payload: PaymentPayload
  /** Canonical form, so that re-encoding the same payload is the same payment. */
  readonly json: string
  readonly sha256: string
}

export type HeaderFault = "PAYMENT_HEADER_TOO_LARGE" | "NOT_BASE64" | "NOT_STRICT_JSON" | "NOT_A_PAYMENT_PAYLOAD"

/** True when the request carries any payment header, of version 1 or 2. */
export function hasPaymentHeader(headers: Headers): boolean {
  return headers.has("payment-signature") || headers.has("x-payment")
}

/** Whether all that the request carries is a payment of version 1, which counts as none. */
export function hasOnlyVersion1Header(headers: Headers): boolean {
  return headers.has("x-payment") && !headers.has("payment-signature")
}

/** The payment, null when there is none, or why the header cannot be read. `X-Payment` of version 1 is not looked at. */
export function readPaymentHeader(headers: Headers): PresentedPayment | HeaderFault | null {
  const header = headers.get("payment-signature")
  if (header === null) return null
  if (header.length > PAYMENT_HEADER_CHARACTERS_MAX) return "PAYMENT_HEADER_TOO_LARGE"
  if (header === "" || !/^[A-Za-z0-9+/]+={0,2}$/.test(header)) return "NOT_BASE64"
  let payload: unknown
  try {
    payload = readJson(Buffer.from(header, "base64"))
  } catch (error) {
    if (error instanceof StrictJsonError) return "NOT_STRICT_JSON"
    throw error
  }
  if (!isPaymentPayload(payload)) return "NOT_A_PAYMENT_PAYLOAD"
  const json = canonicalize(payload)
  return { payload, json, sha256: digestBytes(json) }
}

/**
 * The wallet a readable header says it pays from, in lower case; null where there is none. A claim, until the payment's signature has
 * verified.
 */
export function claimedPayer(headers: Headers): string | null {
  const payment = readPaymentHeader(headers)
  return payment === null || typeof payment === "string"
    ? null
    : payment.payload.payload.authorization.from.toLowerCase()
}

/** A protocol object as a header value: standard base64 of its JSON (x402 v2 HTTP transport). */
export function encodeHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64")
}
