import { formatInstant } from "../core/time.ts"
import { openRedelivery } from "../store/sales/redeliveries.ts"
import { findEntitlement, findStanding, type Standing } from "../store/sales/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { Sale } from "./sale.ts"

/** What the database says about a sale before anything is decided about it. */
export interface SaleRecords {
  readonly standing: Standing | null
  /** The request that acquired this very signed request, on whatever rail. */
  readonly soldTo: string | null
  /** The request whose late decision may be replaced now for this owner and subject. */
  readonly late: string | null
}

/** For the unit in which a product reads what its own checks judge by: an unpaid call then sees one view and asks once. */
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
