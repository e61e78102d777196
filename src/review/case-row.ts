/** The row of an answer that waits for a person, made of what was stored when it was delivered. Pure. */
import { hitsOf } from "../case/hits.ts"
import { textAt, textsAt } from "../case/members.ts"
import { permissionOf } from "../case/permission.ts"
import { digestOf } from "../core/digest.ts"
import { parseAmount } from "../core/money.ts"
import type { JsonValue } from "../core/strict-json.ts"
import type { AnswerToReview, NewCase } from "../store/review/review-cases.ts"

/** Decisions after which a person is needed. */
const WAITING: readonly string[] = ["HOLD", "REVIEW", "CONDITIONAL", "UNDETERMINED", "ALLOW_WITH_CONDITIONS"]

/** Whether an answer with this decision may have a case. A BLOCK has one if a listed entry caused it. */
export function mayWait(decision: string): boolean {
  return decision === "BLOCK" || WAITING.includes(decision)
}

/** Null for a BLOCK that no listed entry caused: no person can judge it. */
export function caseRowOf(sold: AnswerToReview): NewCase | null {
  const [answer, request, facts] = [sold.body, sold.requestJson, sold.factsJson].map((text) => JSON.parse(text)) as [
    JsonValue,
    JsonValue,
    JsonValue,
  ]
  const codes = textsAt(answer, "reason_codes")
  const { hits } = hitsOf({ request, answer, facts, codes: new Set(codes) })
  if (sold.decision === "BLOCK" && !hits.some(({ tier }) => tier === "BLOCK")) return null
  const amount = textAt(request, "amount")
  const [nearest] = hits.toSorted((one, other) => (other.score ?? 0) - (one.score ?? 0))
  const entry = nearest ? `${nearest.source_id}:${nearest.entry_id}` : ""
  return {
    requestId: sold.requestId,
    openedAt: sold.soldAt,
    product: sold.product,
    permission: permissionOf(sold.decision, textAt(answer, "machine_action") ?? "") ?? "HOLD",
    decision: sold.decision,
    code: codes[0] ?? "",
    currency: textAt(request, "currency"),
    amount,
    amountOrder: String(parseAmount(amount ?? "0") ?? 0n).padStart(24, "0"),
    scorePermille: Math.round(Math.min(1, Math.max(0, nearest?.score ?? 0)) * 1000),
    supplier: sold.supplier,
    payer: sold.payer,
    organizationId: sold.organizationId,
    groupKey: digestOf({ payer: sold.payer, party: sold.supplier, entry }),
  }
}
