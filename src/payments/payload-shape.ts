import { PaymentPayload } from "../../schemas/x402.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"

const check = compiledAtFirstUse(PaymentPayload)

/** The protocol's shape and nothing about its worth. */
export function isPaymentPayload(value: unknown): value is PaymentPayload {
  return check().Check(value)
}
