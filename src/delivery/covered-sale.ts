/** Refusals of a purchase whose answer exists already (Interface, rule 8). The service quotes, charges and stores nothing for it. */
import { type ReusableDecision, ServiceError } from "../base/errors.ts"

/**
 * What to do when a valid authorization covers the obligation of a purchase. `NAME`: refuse, and name the authorization. `REFUSE`: refuse
 * without naming it, because the caller may have copied the payment. `DECIDE`: decide anyway, because the payment may have moved money and
 * its buyer must get an answer.
 */
export type IfCovered = "NAME" | "REFUSE" | "DECIDE"

/** A valid authorization covers this exact payment. */
export function reusableRefusal(reusable: ReusableDecision): ServiceError {
  return new ServiceError(
    "REUSABLE_DECISION_EXISTS",
    "A valid authorization covers exactly this payment. Use it; a second one is not sold while it is valid.",
    { reusable },
  )
}

/**
 * A valid authorization covers the same obligation but does not fit this request. `pointers`: JSON pointers of the request members that
 * differ from the authorization; empty when they may not be disclosed.
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
