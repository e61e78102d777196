/** What an idempotency record or an earlier sale of the same request means for another sale of it. */
import { ServiceError } from "../base/errors.ts"
import { type BodyDigests, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import type { PaidProduct, SaleRecords } from "./sale.ts"
import { alreadyAcquired, keyReused, soldElsewhere } from "./sale-refusals.ts"

/** `OPEN`: nobody bought the request and no payment of it may still arrive. `OVER_JOB`: an on-chain job is buying it. */
type KnownSale = "OPEN" | "RUNNING" | "OVER_JOB" | "ACQUIRED"

export function knownSale(record: Pick<RequestRecord, "state" | "purchase"> | null): KnownSale {
  if (record?.state === "DELIVERED") return "ACQUIRED"
  if (!record?.purchase) return "OPEN"
  return record.purchase.rail === "acp" ? "OVER_JOB" : "RUNNING"
}

/**
 * What the paid route returns instead of a quote to a caller who proved ownership of the key; null when the sale may continue. For a sale in
 * progress the paid route returns 202; a caller who only asks gets DECISION_IN_PROGRESS.
 */
export function judgeKnownSale(
  product: Pick<PaidProduct, "recoverPath">,
  { requestRecord, soldTo }: Pick<SaleRecords, "requestRecord" | "soldTo">,
  body: BodyDigests,
): ServiceError | null {
  if (requestRecord && !isSameBody(requestRecord, body)) return keyReused()
  if (soldTo !== null && soldTo !== requestRecord?.id) return soldElsewhere()
  switch (knownSale(requestRecord)) {
    case "OPEN":
      return null
    case "ACQUIRED":
      return alreadyAcquired(product)
    case "OVER_JOB":
      return inProgress("An on-chain job buys this request; recover it.")
    case "RUNNING":
      return inProgress("A payment for this request is in progress; send the same payment again to get the outcome.")
  }
}

function inProgress(detail: string): ServiceError {
  return new ServiceError("DECISION_IN_PROGRESS", detail, { retryAfterSeconds: 5 })
}
