import type { PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_INVOICE, exampleBinding, exampleDestination, usExample } from "../example-members.ts"

export function payeeVerificationExample(call: ExampleCall): PayeeVerificationRequest {
  return {
    ...usExample(call),
    invoice: EXAMPLE_INVOICE,
    payee: exampleDestination(),
    payment_destination: exampleDestination(),
    binding_evidence: exampleBinding(call.at),
  }
}
