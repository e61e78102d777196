import { formatInstant } from "../core/time.ts"
import { openRedelivery } from "../store/sales/redeliveries.ts"
import { findEntitlement, findStanding, type Standing } from "../store/sales/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { Sale } from "./sale.ts"

/** What the database holds about a sale before any decision. */
export interface SaleRecords {
  readonly standing: Standing | null
  /** Id of the request that acquired this signed request, over any payment rail. */
  readonly soldTo: string | null
  /** Id of the request whose late decision may be replaced now for this owner and subject. */
  readonly late: string | null
}

/** Runs in the unit in which a product reads the records of its own checks. So an unpaid call reads one view in one query. */
export function* readSaleRecords(
  productId: string,
  sale: Pick<Sale, "scope" | "key" | "requestDigest" | "subject">,
  at: number,
): Unit<SaleRecords> {
  const { scope, key, requestDigest, subject } = sale
  return {
    standing: yield* findStanding(productId, scope, key),
    soldTo: (yield* findEntitlement(requestDigest))?.requestId ?? null,
    late: subject === null ? null : yield* openRedelivery(scope, subject, formatInstant(at)),
  }
}
