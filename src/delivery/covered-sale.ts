/** Refusals of a purchase whose answer exists already (Interface, rule 8): nothing is quoted, charged or kept for it. */
import { type ReusableDecision, ServiceError } from "../errors.ts"

/**
 * What becomes of a purchase whose obligation a valid authorization covers. `NAME`: refused, and the authorization is named. `REFUSE`:
 * refused, and nothing is named, because who presents the payment may have copied it. `DECIDE`: decided all the same, because the
 * payment may have moved money and its buyer must get an answer for it.
 */
export type IfCovered = "NAME" | "REFUSE" | "DECIDE"

/** The authorization covers this very payment. */
export function reusableRefusal(reusable: ReusableDecision): ServiceError {
  return new ServiceError(
    "REUSABLE_DECISION_EXISTS",
    "A valid authorization covers this very payment. Use it; a second one is not sold while it is valid.",
    { reusable },
  )
}

/**
 * The authorization is of the same obligation and cannot be used for this request. `pointers`: members of the request that differ from what
 * it authorized; none where that is not said.
 */
export function obligationRefusal(pointers: readonly string[], reasonCodes: readonly string[] = []): ServiceError {
  return new ServiceError(
    "OBLIGATION_ALREADY_AUTHORIZED",
    "A valid authorization covers this obligation, and a second one would pay it twice. Stop; errors names what differs.",
    {
      errors: pointers.map((pointer) => ({
        pointer,
        code: "DIFFERS_FROM_AUTHORIZATION",
        expected: "the value that the valid authorization has",
      })),
      reasonCodes,
    },
  )
}
