import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { EarlierAuthorization } from "./earlier-authorization.ts"
import type { AuthorityRecords, SupplierRecords } from "./records.ts"

/** The types of the Payment Decision. */
export interface PaymentDecision {
  readonly request: DecisionRequest
  readonly recordsForChecks: RecordsForQuote
}

/** The service's own records that the checks before a quote use. */
export interface RecordsForQuote {
  readonly authority: AuthorityRecords
  readonly supplier: SupplierRecords
  readonly earlier: EarlierAuthorization | null
}
