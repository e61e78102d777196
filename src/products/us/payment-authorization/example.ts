import type { PaymentAuthorizationRequest } from "../../../../schemas/us/payment-authorization.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_EXECUTION, EXAMPLE_INVOICE, exampleDestination, usExample } from "../example-members.ts"

export function paymentAuthorizationExample(call: ExampleCall): PaymentAuthorizationRequest {
  return {
    ...usExample(call),
    payee_fingerprint: exampleDestination().fingerprint,
    amount: "12500.00",
    currency: "USD",
    invoice: EXAMPLE_INVOICE,
    supplier_approval_reference: EXAMPLE_EXECUTION,
  }
}
