import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { RequestOptions } from "../../../fixtures/decision.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import { type Bought, HIGH } from "./deliveries.ts"

/** The members of a request that identify the payment. */
export function paymentOf(request: DecisionRequest): Partial<DecisionRequest> {
  const { supplier, invoice, amount, currency, payee, payment_destination, payment_instruction_digest } = request
  const exposure = request.payment_exposure_usdc_equivalent_atomic
  return {
    supplier,
    invoice,
    amount,
    currency,
    payee,
    payment_destination,
    payment_instruction_digest,
    payment_exposure_usdc_equivalent_atomic: exposure,
    risk_policy: HIGH,
  }
}

/** The same payment in another request: another key, mandate and time. */
export const again = (
  first: Pick<Bought, "request">,
  changes: Partial<DecisionRequest> = {},
  options: RequestOptions = {},
) => freshRequest({ ...options, request: { ...paymentOf(first.request), ...changes } })
