import { PaymentPayload } from "../../schemas/x402.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"

const check = compiledAtFirstUse(PaymentPayload)

/** Checks the shape of the protocol only, not whether the payment is good. */
export function isPaymentPayload(value: unknown): value is PaymentPayload {
  return check().Check(value)
}
