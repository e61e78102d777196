/** What a description says, for a model that sees only this tool: what it does, when to use it, what it costs and what to do next. */
import type { Operation } from "../../../schemas/operation.ts"
import { reviewDutyOf } from "../../core/discovery/review-duty.ts"

export interface ToolWords {
  readonly what: string
  /** Ends the sentence that begins with "Use it". */
  readonly use: string
  /** Ends the sentence that begins with "Next:". */
  readonly next: string
}

const FREE = "Free."
/** What a caller must do beyond reading the quote once more. */
const DUTIES: Readonly<Partial<Record<ReturnType<typeof reviewDutyOf>, string>>> = {
  HUMAN_REVIEW_BEFORE_PAYMENT:
    " HUMAN_REVIEW_BEFORE_PAYMENT: a person reviews the quote before it is paid, and the answer before you act on it.",
}

export function descriptionOf({ what, use, next }: ToolWords, cost = FREE): string {
  return `${what}. Use it ${use}. ${cost} Next: ${next}.`
}

/** The description of a paid tool, from its row. */
export function paidDescription(operation: Operation, rows: readonly Operation[]): string {
  const { summary, price, product, intent, path } = operation
  const duty = (product && DUTIES[reviewDutyOf(product.jurisdiction)]) ?? ""
  const notFor = intent && intent.notFor.length > 0 ? `; not for ${intent.notFor.join(", ")}` : ""
  const recovery = rows.some((row) => row.path === `${path}/recover`) ? ", and so does recover_payment_decision" : ""
  return descriptionOf(
    {
      what: summary,
      use: `after check_eligibility and before you act${notFor}`,
      next: `pay it with an x402 client and repeat the call with _meta["x402/payment"]. The same call again returns a lost answer${recovery}`,
    },
    `Costs ${price?.amount} ${price?.asset}: the first result is an error with the quote, uncharged.${duty}`,
  )
}

/** The annotations of a tool. A hint that has its default value by the protocol, or says nothing about a read, is left out. */
export function hints(tool: {
  readonly isRead: boolean
  readonly isRepeatable: boolean
  readonly asksSources: boolean
}): object {
  const closed = tool.asksSources ? {} : { openWorldHint: false }
  if (tool.isRead) return { readOnlyHint: true, ...closed }
  return { destructiveHint: false, ...(tool.isRepeatable && { idempotentHint: true }), ...closed }
}
