/** The legal names under which an organization paid a supplier. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { allowedOfSupplier, latestAuthorization } from "../../../store/sales/authorization-records.ts"
import { findRequest } from "../../../store/sales/requests.ts"
import type { SupplierSet } from "../../../store/sales/supplier-sets.ts"
import type { Unit } from "../../../store/unit.ts"

/**
 * Returns the recorded names that the request does not give, as the newest request with each of them wrote it. A name that only records older
 * than those that a decision reads have is left out.
 */
export function* recordedNames(
  organizationId: string,
  { members, names, naming }: Pick<SupplierSet, "members" | "names" | "naming">,
): Unit<string[]> {
  const wanted = new Set(names.filter((name) => name !== naming.nameKey))
  if (wanted.size === 0) return []
  const latest = yield* latestAuthorization(organizationId, members)
  const records = latest ? [latest] : []
  for (const supplierId of members) records.push(...(yield* allowedOfSupplier(organizationId, supplierId)))
  const found: string[] = []
  for (const { supplierNameKey, requestId } of records) {
    if (!wanted.delete(supplierNameKey)) continue
    const stored = yield* findRequest(requestId)
    const { supplier } = JSON.parse(stored?.requestJson ?? "{}") as Partial<DecisionRequest>
    if (supplier?.legal_name !== undefined) found.push(supplier.legal_name)
  }
  return found
}
