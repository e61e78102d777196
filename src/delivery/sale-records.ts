import { formatInstant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { openRedelivery } from "../store/sales/redeliveries.ts"
import { findEntitlement, findRequestRecord } from "../store/sales/requests.ts"
import type { Sale, SaleRecords } from "./sale.ts"

/** Runs in the unit in which a product reads the records of its own checks. So an unpaid call reads one view in one query. */
export function* readSaleRecords(
  productId: string,
  sale: Pick<Sale, "scope" | "key" | "requestDigest" | "subject">,
  at: number,
): Unit<SaleRecords> {
  const { scope, key, requestDigest, subject } = sale
  return {
    requestRecord: yield* findRequestRecord(productId, scope, key),
    soldTo: (yield* findEntitlement(requestDigest))?.requestId ?? null,
    late: subject === null ? null : yield* openRedelivery(scope, subject, formatInstant(at)),
  }
}
