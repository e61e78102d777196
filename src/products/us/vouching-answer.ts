import type { Company } from "../../../schemas/us/operation-request.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { AnswerRecord } from "../../store/sales/answer-records.ts"
import { isAnchoredBy } from "../../store/sales/record-anchors.ts"
import { readAnchors, readSupplierSet, type SupplierSet } from "../../store/sales/supplier-sets.ts"
import { namingOf } from "./supplier-naming.ts"

/**
 * Whether an earlier answer to this payer is about the company of `set` and named one of the anchors that the request names (rulings 89). A
 * request with an identifier of another company, or a second value of a scheme, has no such answer.
 */
function* vouchesFor(payer: string, set: SupplierSet, record: AnswerRecord): Unit<boolean> {
  const { supplierId, requestId } = record
  if (supplierId === null || !set.members.includes(supplierId)) return false
  // Each gate compares the names itself, with that of the answer.
  if (set.contradictions.some(({ member }) => member === "identifiers")) return false
  return yield* isAnchoredBy(payer, yield* readAnchors(payer, set), requestId)
}

/** The same for the company of a request, by the identity sets of the answer's own payer. Only that payer can name the answer. */
export function* vouchesForCompany(record: AnswerRecord, company: Company): Unit<boolean> {
  return yield* vouchesFor(record.owner, yield* readSupplierSet(record.owner, namingOf(company)), record)
}
