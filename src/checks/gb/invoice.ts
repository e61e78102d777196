import type { GbPaymentFacts, GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import { found, type GateResult } from "../policy/gate.ts"

export interface InvoiceThresholds {
  /** From this score on, a different name counts as another spelling of the registered name. */
  readonly invoice_name_similar_score: string
}

/**
 * Compares the company on the invoice: the number must be equal, and the register must know the name. Without a usable name in the register
 * the gate has no finding about the name.
 */
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
