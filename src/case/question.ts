/** What the buyer asked: the company, its identifiers, the payment and where it goes. */
import { companyOf } from "./compare-company.ts"
import type { CaseParts } from "./compared-row.ts"
import { type Labelled, labelled, textAt, textMembersAt } from "./members.ts"

export function questionOf({ request, answer, facts }: CaseParts): Labelled[] {
  const company = companyOf(request)
  const capsule = ["proof_capsule", "payload"] as const
  const amount = textAt(request, "amount") ?? textAt(answer, ...capsule, "amount") ?? textAt(answer, "result", "amount")
  const currency =
    textAt(request, "currency") ?? textAt(answer, ...capsule, "currency") ?? textAt(answer, "result", "currency")
  return [
    ...labelled([
      ["supplier", textAt(company, "legal_name")],
      ["registered name", textAt(facts, "company", "record", "company_name")],
      ["company number", textAt(request, "company_number") ?? textAt(answer, "result", "company_number")],
      ["supplier id", textAt(company, "entity_id") ?? textAt(answer, ...capsule, "supplier_entity_id")],
      ["supplier key", textAt(answer, "result", "supplier_key")],
    ]),
    ...textMembersAt(company, "identifiers").map(([scheme, value]) => ({ label: scheme.toUpperCase(), value })),
    ...labelled([
      ["name on the invoice", textAt(request, "invoice", "invoice_company_name")],
      ["payment", amount && `${amount} ${currency ?? ""}`.trim()],
      ["invoice", textAt(request, "invoice", "obligation_id") ?? textAt(answer, ...capsule, "obligation_id")],
      ["purpose", textAt(request, "economic_purpose")],
      ["destination", destinationOf(request)],
      ["payee", payeeOf(request)],
      ["organization", textAt(request, "buyer", "organization_id")],
      ["agent", textAt(request, "requesting_agent", "agent_id") ?? textAt(answer, ...capsule, "agent_id")],
    ]),
  ]
}

/** A wallet is shown; every other destination is a token of a provider, so its fingerprint is. */
function destinationOf(request: CaseParts["request"]): string | null {
  const type = textAt(request, "payment_destination", "type")
  const isWallet = type === "WALLET" || type === "X402_PAYTO"
  const shown = textAt(request, "payment_destination", isWallet ? "value" : "fingerprint")
  return type && shown && `${type} ${shown}`
}

function payeeOf(request: CaseParts["request"]): string | null {
  return (
    textAt(request, "payee", "fingerprint") ??
    textAt(request, "payee", "payee_fingerprint") ??
    textAt(request, "payee_fingerprint") ??
    textAt(request, "proposed_payee_fingerprint")
  )
}
