/** Whose duty it is to review a quote, before it is paid. */
import type { Operation } from "../../../schemas/operation.ts"
import type { QuoteFacts } from "../../../schemas/payment-replies.ts"

/** Every UK answer is limited to what one register and one list say, so a person reviews its quote (rulings 91). */
export function reviewDutyOf(
  jurisdiction: NonNullable<Operation["product"]>["jurisdiction"],
): QuoteFacts["review_duty"] {
  return jurisdiction === "GB" ? "HUMAN_REVIEW_BEFORE_PAYMENT" : "REVIEW_QUOTE_BEFORE_PAYMENT"
}
