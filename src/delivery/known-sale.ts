/** Refusals that follow from the idempotency record or from an earlier sale of the same request. */

import { ServiceError } from "../base/errors.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findDelivery } from "../store/sales/deliveries.ts"
import { type BodyDigests, isSameBody, type RequestRecord } from "../store/sales/requests.ts"
import type { PaidProduct, SaleRecords } from "./sale.ts"

/**
 * `executionId`: the answer of the idempotency record. Pass it only for an authorization that is unused and was never presented; anyone can
 * copy another one from the chain.
 */
export function keyReused(executionId: string | null = null): ServiceError {
  const named = executionId === null ? "" : ` The answer under the key is execution ${executionId}.`
  return new ServiceError(
    "IDEMPOTENCY_KEY_REUSED",
    `The key belongs to another body of this owner; no second charge is made.${named}`,
    executionId === null ? {} : { executionId },
  )
}

export function soldElsewhere(): ServiceError {
  return new ServiceError("REQUEST_ALREADY_SOLD", "Recover it over the rail it was bought on.")
}

export function alreadyAcquired({ recoverPath }: Pick<PaidProduct, "recoverPath">): ServiceError {
  return new ServiceError("ALREADY_ACQUIRED", `Recover it without payment at ${recoverPath ?? "its execution route"}.`)
}

/**
 * What the paid route returns instead of a quote to a caller who proved ownership of the key; null when the sale may go on. For a sale in
 * progress the paid route returns 202; a caller who only asks gets DECISION_IN_PROGRESS.
 */
export function judgeKnownSale(
  product: Pick<PaidProduct, "recoverPath">,
  { requestRecord, soldTo }: Pick<SaleRecords, "requestRecord" | "soldTo">,
  body: BodyDigests,
): ServiceError | null {
  if (requestRecord && !isSameBody(requestRecord, body)) return keyReused()
  if (soldTo !== null && soldTo !== requestRecord?.id) return soldElsewhere()
  if (requestRecord?.state === "DELIVERED") return alreadyAcquired(product)
  if (!requestRecord?.purchase) return null
  const detail =
    requestRecord.purchase.rail === "acp"
      ? "An on-chain job buys this request; recover it."
      : "A payment for this request is in progress; send the same payment again to get the outcome."
  return new ServiceError("DECISION_IN_PROGRESS", detail, { retryAfterSeconds: 5 })
}

/** Execution id of the answer delivered under the key; null before delivery. */
export function* deliveredExecution({ id, state }: RequestRecord): Unit<string | null> {
  if (state !== "DELIVERED") return null
  return (yield* findDelivery(id))?.answerId ?? null
}
