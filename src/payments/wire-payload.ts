import type { PaymentPayload, PaymentRequirements } from "@x402/core/types"
import type { PaymentRequirements as Terms } from "../../schemas/x402.ts"
import type { Authorization } from "./authorization.ts"

interface WirePayment {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

/** The official wire objects of a checked payment, built anew without members that a client added. */
export function wirePayment(authorization: Authorization, terms: Terms): WirePayment {
  const paymentRequirements = { ...terms, extra: terms.extra ?? {} } as PaymentRequirements
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  const signed = {
    from,
    to,
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
    nonce,
  }
  const paymentPayload: PaymentPayload = {
    x402Version: 2,
    accepted: paymentRequirements,
    payload: { signature, authorization: signed },
  }
  return { paymentPayload, paymentRequirements }
}
