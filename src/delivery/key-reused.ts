/** The refusal of another body under a key that one body has already. */
import { ServiceError } from "../errors.ts"
import { findDelivery } from "../store/deliveries.ts"
import type { Standing } from "../store/requests.ts"
import type { Unit } from "../store/unit.ts"

/**
 * `executionId` names the answer that stands under the key. Only an authorization that is unused and was never presented may learn it: any
 * other can be copied from the chain by somebody else than its payer.
 */
export function keyReused(executionId: string | null = null): ServiceError {
  const named = executionId === null ? "" : ` The answer under the key is execution ${executionId}.`
  return new ServiceError(
    "IDEMPOTENCY_KEY_REUSED",
    `The key belongs to another body of this owner; no second charge is made.${named}`,
    executionId === null ? {} : { executionId },
  )
}

/** Execution id of the answer that was delivered under the key; null while none was. */
export function* deliveredExecution({ id, state }: Standing): Unit<string | null> {
  if (state !== "DELIVERED") return null
  return (yield* findDelivery(id))?.decisionId ?? null
}
