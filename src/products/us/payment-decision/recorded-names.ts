/** The legal names under which an organization paid a supplier. */
import type { UsOperationRequest } from "../../../../schemas/us/operation-request.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { legalNameKey } from "../../../core/legal-name-key.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { allowedOfSupplier, latestAuthorization } from "../../../store/sales/authorization-records.ts"
import { findRequest } from "../../../store/sales/requests.ts"
import type { SupplierSet } from "../../../store/sales/supplier-sets.ts"

/**
 * Returns the recorded names that the request does not give, as the newest decision with each of them wrote it, or as the request that made the
 * supplier did. A name that only older records have is left out.
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
  const newest = new Map(records.toReversed().map(({ supplierNameKey, requestId }) => [supplierNameKey, requestId]))
  const found: string[] = []
  // The id of a supplier is that of the request that made it.
  for (const requestId of [...[...wanted].flatMap((name) => newest.get(name) ?? []), ...members]) {
    const name = wanted.size > 0 ? yield* legalNameIn(requestId) : null
    if (name !== null && wanted.delete(legalNameKey(name))) found.push(name)
  }
  return found
}

/** The name in a stored request about a supplier, of whatever product. Null if it has none, or if no request has this id. */
function* legalNameIn(requestId: string): Unit<string | null> {
  const stored = yield* findRequest(requestId)
  if (!stored) return null
  const { supplier, company } = JSON.parse(stored.requestJson) as Partial<DecisionRequest & UsOperationRequest>
  return (supplier ?? company)?.legal_name ?? null
}
