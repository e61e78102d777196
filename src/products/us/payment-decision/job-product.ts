/** The Payment Decision as an on-chain job buys it: the gates and records of the paid route, without its payment. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { instant } from "../../../core/time.ts"
import type { Sale } from "../../../delivery/sale.ts"
import type { ReservedRecords } from "./reserve-records.ts"
import { type SellDeps, saleOf } from "./sell.ts"
import { withoutAccepted } from "./without-accepted.ts"

/** The checks use the lists and registers that {@link withoutAccepted} returns, as on the paid route. */
export function jobProduct(given: SellDeps) {
  const deps = { ...given, ...withoutAccepted(given) }
  return {
    product: given.product,
    saleOf: (request: DecisionRequest, at: number): Promise<Sale> => saleOf(deps, request, at),
    /** End of buyer, mandate and delegations, in milliseconds. */
    authorityUntil: (records: unknown): number => instant((records as ReservedRecords).mandate.valid_until),
  }
}
