import type { GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { type Finding, finding, findings } from "../policy/origins.ts"

type Numbered = Pick<GbPaymentRequest, "company_number" | "supplier" | "invoice" | "payee">

/** A request that names several companies contradicts itself: whatever the register says, the payment is blocked. */
export function companyNumberFindings({ company_number: number, supplier, invoice, payee }: Numbered): Finding[] {
  return findings(
    supplier.company_number !== number && finding("SUPPLIER_COMPANY_MISMATCH"),
    invoice.company_number !== number && finding("INVOICE_COMPANY_MISMATCH"),
    payee.company_number !== number && finding("PAYEE_COMPANY_MISMATCH"),
  )
}
