import type { GbPaymentFacts, GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { found, type GateResult } from "../policy/gate.ts"

export interface InvoiceThresholds {
  /** A score from which another name is taken for the registered one written differently. */
  readonly invoice_name_similar_score: string
}

/** The company on the invoice: the same number, and a name the register knows. Nothing is said of a name the register cannot tell. */
export function invoiceGate(
  { company_number: number, invoice }: Pick<GbPaymentRequest, "company_number" | "invoice">,
  { invoice_name: name }: Pick<GbPaymentFacts, "invoice_name">,
  thresholds: InvoiceThresholds,
): GateResult<"INVOICE"> {
  const mismatch = invoice.company_number !== number && "INVOICE_COMPANY_MISMATCH"
  if (name === null) return { gate: "INVOICE", ...found([mismatch], ["INVOICE_NAME_NOT_COMPARED"]) }
  const isSimilar = name.score >= Number(thresholds.invoice_name_similar_score)
  const other =
    name.previous_name !== null
      ? "INVOICE_NAME_IS_PREVIOUS_NAME"
      : isSimilar
        ? "INVOICE_NAME_SIMILAR"
        : "INVOICE_NAME_MISMATCH"
  return { gate: "INVOICE", ...found([mismatch, !name.agrees && other]) }
}
