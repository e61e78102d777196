import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_NUMBER, EXAMPLE_PAYEE, exampleBinding } from "../example-members.ts"

export function gbPaymentExample({ at, key }: ExampleCall, company_number = EXAMPLE_NUMBER): GbPaymentRequest {
  return {
    company_number,
    supplier: { company_number, policy_id: "GB_BUSINESS_PAYMENT_V1" },
    invoice: { company_number, invoice_company_name: "Harbour Lantern Joinery Ltd" },
    payee: { company_number, payee_fingerprint: EXAMPLE_PAYEE, binding_evidence: exampleBinding(at, `cop-${key}`) },
    amount: "1250.00",
    currency: "GBP",
    idempotency_key: key,
  }
}
