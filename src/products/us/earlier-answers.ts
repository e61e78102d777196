import type { EarlierAnswer } from "../../../schemas/us/invoice-facts.ts"
import type { Company } from "../../../schemas/us/operation-request.ts"
import { PAYEE_VERIFICATION_PRODUCT } from "../../../schemas/us/payee-verification.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../../schemas/us/payment-authorization.ts"
import type { Invoice } from "../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../checks/obligation.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type AnswerRecord, answersOfDocument, answersOfObligation } from "../../store/sales/answer-records.ts"
import { linkedIds, type SupplierSet } from "../../store/sales/supplier-sets.ts"
import type { AnswerSubject } from "../common/answer-product.ts"
import { companySubject } from "./company-record.ts"

interface InvoiceRequest {
  readonly company: Company
  readonly invoice: Invoice
}

/** Returns the record keys of an answer about an invoice, in addition to those of its company. */
export function invoiceSubject({ company, invoice }: InvoiceRequest): AnswerSubject {
  return {
    ...companySubject(company),
    obligationKey: obligationKey(invoice.obligation_id),
    documentDigest: invoice.document_digest,
  }
}

/**
 * Returns the answers to this payer that share the obligation or the document of the invoice and that allowed the payer to continue,
 * without duplicates. `set` is the company as this payer knows it.
 */
export function* earlierAnswers(payer: string, { invoice }: InvoiceRequest, set: SupplierSet): Unit<EarlierAnswer[]> {
  const suppliers = linkedIds(set)
  const records: AnswerRecord[] = []
  for (const product of [PAYMENT_AUTHORIZATION_PRODUCT, PAYEE_VERIFICATION_PRODUCT]) {
    records.push(...(yield* answersOfObligation(payer, product, suppliers, obligationKey(invoice.obligation_id))))
    records.push(...(yield* answersOfDocument(payer, product, invoice.document_digest)))
  }
  return [...new Map(records.map((record) => [record.executionId, record])).values()].flatMap((record) =>
    earlierAnswer(record, suppliers),
  )
}

/** Returns nothing for an answer without an invoice. */
function earlierAnswer(record: AnswerRecord, linked: readonly string[]): EarlierAnswer[] {
  const { executionId, product, subject, obligationKey: key, documentDigest: digest, decidedAt, validUntil } = record
  if (key === null || digest === null) return []
  return [
    {
      execution_id: executionId,
      product,
      supplier_key: subject,
      obligation_key: key,
      document_digest: digest,
      decided_at: decidedAt,
      valid_until: validUntil,
      same_supplier: record.supplierId !== null && linked.includes(record.supplierId),
    },
  ]
}
