import { ServiceError } from "../base/errors.ts"
import { hasPaymentHeader } from "../payments/payment-header.ts"

/** Runs before the body is read: the routes of the foundation take no part in payments. */
export function requireNoEconomicHeader(headers: Headers): void {
  if (!hasPaymentHeader(headers)) return
  throw new ServiceError("ECONOMIC_ISOLATION", "This route is free. Repeat the call without the payment header.")
}
