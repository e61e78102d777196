/** The check of a request's headers. */
import { ServiceError } from "../base/errors.ts"

const PAYMENT_HEADERS = ["Payment-Signature", "X-Payment"] as const

/** Throws 422 PAYMENT_HEADER_FORBIDDEN. A payment that nobody takes must never look accepted. */
export function requireNoPaymentHeader(headers: Headers): void {
  const sent = PAYMENT_HEADERS.filter((name) => headers.has(name))
  if (sent.length === 0) return
  throw new ServiceError("PAYMENT_HEADER_FORBIDDEN", "This route is free. Nothing was charged.", {
    status: 422,
    errors: sent.map((name) => ({
      pointer: `header:${name}`,
      code: "PAYMENT_HEADER_FORBIDDEN",
      expected: "no such header",
    })),
  })
}
