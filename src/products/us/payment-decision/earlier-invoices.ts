import type { DecisionFacts, EarlierDecision } from "../../../../schemas/us/decision-facts.ts"
import type { EarlierInvoice } from "../../../checks/us/invoice-payee.ts"
import { instant } from "../../../core/time.ts"
import { isAuthorization } from "./payment-authority.ts"

/** What earlier decisions of this organization say of the invoices they were about. `mandateValidFrom` in milliseconds. */
export function earlierInvoices(
  { earlier_decisions: decisions, resolved_references: references }: DecisionFacts,
  mandateValidFrom: number,
): EarlierInvoice[] {
  // Rulings 46: naming the earlier answer says it is known; the newer mandate says the organization wants it paid again.
  const isAcknowledged = (earlier: EarlierDecision) =>
    mandateValidFrom > instant(earlier.decided_at) &&
    references.some((named) => named.kind === "DECISION" && named.reference === earlier.response_digest)
  return decisions.filter(isAuthorization).map((earlier) => ({
    supplierKey: earlier.supplier_key,
    obligationKey: earlier.obligation_key,
    documentDigest: earlier.document_digest,
    authorizedUntil: instant(earlier.valid_until),
    isAcknowledged: isAcknowledged(earlier),
  }))
}
