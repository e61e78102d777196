import type { DecisionFacts, EarlierDecision } from "../../../../schemas/us/decision-facts.ts"
import type { EarlierInvoice } from "../../../checks/us/invoice-payee.ts"
import { instant } from "../../../core/time.ts"
import { isAuthorization } from "./payment-authority.ts"

/**
 * Returns the invoices of earlier decisions of this organization. `supplierKey` is the strongest identifier of the request; facts before
 * rules 3 name suppliers by it. `mandateValidFrom` is in milliseconds.
 */
export function earlierInvoices(
  { earlier_decisions: decisions, resolved_references: references }: DecisionFacts,
  supplierKey: string | null,
  mandateValidFrom: number,
): EarlierInvoice[] {
  // Naming the earlier answer shows that it is known. A newer mandate shows that the organization wants the obligation paid again (rulings
  // 46).
  const isAcknowledged = (earlier: EarlierDecision) =>
    mandateValidFrom > instant(earlier.decided_at) &&
    references.some((named) => named.kind === "DECISION" && named.reference === earlier.response_digest)
  return decisions.filter(isAuthorization).map((earlier) => ({
    isSameSupplier: earlier.same_supplier ?? earlier.supplier_key === supplierKey,
    obligationKey: earlier.obligation_key,
    documentDigest: earlier.document_digest,
    authorizedUntil: instant(earlier.valid_until),
    isAcknowledged: isAcknowledged(earlier),
  }))
}
