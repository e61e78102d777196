import { instant, MINUTE, SECOND, waitSeconds } from "../core/time.ts"
import { ServiceError } from "../errors.ts"

/** A decision that arrives with less validity left than this is recorded as expired on arrival (rulings 41). */
export const USEFUL_VALIDITY_MS = 5 * MINUTE

/**
 * The decision arrived late and is replaced without payment once it has ended (rulings 41). A decision made now would find it valid and
 * use the replacement up on a BLOCK. `now` in milliseconds. `isOwed`: the caller bought the late decision, so that the next one is free.
 */
export function lateDecisionRefusal(validUntil: string, now: number, isOwed = true): ServiceError {
  return new ServiceError(
    "DECISION_IN_PROGRESS",
    `The late decision is valid until ${validUntil}; ask again afterwards${isOwed ? ", without payment" : ""}.`,
    { retryAfterSeconds: waitSeconds(instant(validUntil), now, USEFUL_VALIDITY_MS / SECOND) },
  )
}
