import type { ReviewCase } from "../../store/review/review-cases.ts"

/** A case without the id of its request, which other commands take. */
export function caseAsJson(one: ReviewCase) {
  return {
    case: one.caseNumber,
    since: one.openedAt,
    state: one.state,
    product: one.product,
    permission: one.permission,
    decision: one.decision,
    code: one.code,
    currency: one.currency,
    amount: one.amount,
    score: one.scorePermille === 0 ? null : one.scorePermille / 1000,
    supplier: one.supplier,
    payer: one.payer,
    organization: one.organizationId,
    group: one.groupKey,
    assignee: one.assignee,
  }
}
