/** Refusals of a request that was sold before, or whose idempotency key is in use. */
import { ServiceError } from "../errors.ts"
import { findDelivery } from "../store/deliveries.ts"
import { type BodyDigests, isSameBody, type Standing } from "../store/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { PaidProduct } from "./sale.ts"
import type { SaleRecords } from "./sale-records.ts"

/**
 * `executionId` is that of the answer under the key. Give it only for an authorization that is unused and was never presented: anybody can
 * copy any other from the chain.
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
 * What the paid route answers instead of a quote to a caller who has proved to own the key; null where it goes on. A sale that is under way is
 * 202 there: DECISION_IN_PROGRESS says it to a caller who only asks.
 */
export function judgeKnownSale(
  product: Pick<PaidProduct, "recoverPath">,
  { standing, soldTo }: Pick<SaleRecords, "standing" | "soldTo">,
  body: BodyDigests,
): ServiceError | null {
  if (standing && !isSameBody(standing, body)) return keyReused()
  if (soldTo !== null && soldTo !== standing?.id) return soldElsewhere()
  if (standing?.state === "DELIVERED") return alreadyAcquired(product)
  if (!standing?.attempt) return null
  const detail = "This request is being paid for; send its payment again to hear the outcome."
  return new ServiceError("DECISION_IN_PROGRESS", detail, { retryAfterSeconds: 5 })
}

/** Execution id of the answer that was delivered under the key; null while none was. */
export function* deliveredExecution({ id, state }: Standing): Unit<string | null> {
  if (state !== "DELIVERED") return null
  return (yield* findDelivery(id))?.decisionId ?? null
}
