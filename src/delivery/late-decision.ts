import { ServiceError } from "../base/errors.ts"
import { instant, MINUTE, SECOND, waitSeconds } from "../core/time.ts"

/** A decision that arrives with less remaining validity than this is recorded as expired on arrival (rulings 41). In milliseconds. */
export const USEFUL_VALIDITY_MS = 5 * MINUTE

/**
 * The decision arrived late; its free replacement is available after it expires (rulings 41). Before that, a new decision would find the
 * late one valid and spend the replacement on a BLOCK. `now` in milliseconds. `isOwed`: the caller bought the late decision, so the next
 * one is free.
 */
export function lateDecisionRefusal(validUntil: string, now: number, isOwed = true): ServiceError {
  return new ServiceError(
    "DECISION_IN_PROGRESS",
    `The late decision is valid until ${validUntil}; ask again afterwards${isOwed ? ", without payment" : ""}.`,
    { retryAfterSeconds: waitSeconds(instant(validUntil), now, USEFUL_VALIDITY_MS / SECOND) },
  )
}
