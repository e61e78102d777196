import type { DecisionFacts } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionCore } from "../../../../schemas/us/decision-response.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { EarlierAuthorization } from "./earlier-authorization.ts"
import type { AuthorityRecords, SupplierRecords } from "./records.ts"
import type { ReservedRecords } from "./reserve-records.ts"

/** The types of the Payment Decision. */
export interface PaymentDecision {
  readonly request: DecisionRequest
  readonly facts: DecisionFacts
  readonly records: ReservedRecords
  readonly core: DecisionCore
  readonly recordsForChecks: RecordsForQuote
}

/** The service's own records that the checks before a quote use. */
export interface RecordsForQuote {
  readonly authority: AuthorityRecords
  readonly supplier: SupplierRecords
  readonly earlier: EarlierAuthorization | null
}
