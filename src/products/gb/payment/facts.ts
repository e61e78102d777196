import type { AnswerFacts } from "../../../../schemas/answer-facts.ts"
import type { ChangeFacts } from "../../../../schemas/change-facts.ts"
import type { GbPaymentFacts, GbPaymentRequest, InvoiceNameFact } from "../../../../schemas/gb/payment.ts"
import type { GbCompanyRecord } from "../../../../schemas/gb/supplier-facts.ts"
import { compareNames } from "../../../sources/screening/name-agreement.ts"
import { gatherSupplier } from "../supplier-facts.ts"
import type { GbSources } from "../supplier-sources.ts"

export async function gatherPayment(
  context: GbSources,
  { company_number: number, invoice: { invoice_company_name: name } }: GbPaymentRequest,
  base: AnswerFacts,
  change: ChangeFacts | null,
): Promise<GbPaymentFacts> {
  const facts = await gatherSupplier(context, number, name, base)
  const { record } = facts.company
  return { ...facts, invoice_name: record && invoiceName(name, record), change }
}

function invoiceName(given: string, record: GbCompanyRecord): InvoiceNameFact {
  const { agrees, score } = compareNames(given, [record.company_name])
  const previous = agrees
    ? undefined
    : record.previous_company_names.find(({ name }) => compareNames(given, [name]).agrees)
  return { agrees, score, previous_name: previous?.name ?? null }
}
