import type { AnswerRecord } from "../../store/sales/answer-records.ts"
import { isAnchoredBy } from "../../store/sales/record-anchors.ts"
import { readAnchors, type SupplierSet } from "../../store/sales/supplier-sets.ts"
import type { Unit } from "../../store/unit.ts"

/**
 * Whether an earlier answer to this payer is about the company of `set` and named one of the anchors that the request names (rulings 89). A
 * request with an identifier of another company, or a second value of a scheme, has no such answer.
 */
export function* vouchesFor(payer: string, set: SupplierSet, record: AnswerRecord): Unit<boolean> {
  const { supplierId, requestId } = record
  if (supplierId === null || !set.members.includes(supplierId)) return false
  // Each gate compares the names itself, with that of the answer.
  if (set.contradictions.some(({ member }) => member === "identifiers")) return false
  return yield* isAnchoredBy(payer, yield* readAnchors(payer, set), requestId)
}
