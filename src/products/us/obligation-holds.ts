import type { SupplierIdentifiers } from "../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../checks/obligation.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import type { Hold } from "../../store/sales/holds.ts"
import type { SupplierSet } from "../../store/sales/supplier-sets.ts"

/**
 * Returns one hold per identifier of the supplier, and per set that the supplier is or is linked to, so that two requests that name one
 * supplier are never decided concurrently, whatever identifiers they name (rulings 67, 89). `set` null: before its records were read.
 */
export function obligationHolds(
  identifiers: SupplierIdentifiers,
  obligationId: string,
  set: SupplierSet | null,
): readonly Hold[] {
  const key = obligationKey(obligationId)
  const roots = set === null ? [] : [set.root, ...set.linked.map(({ root }) => root)].filter((root) => root !== null)
  const suppliers = [...identifierKeys(identifiers), ...roots.map((root) => `set:${root}`)]
  return suppliers.map((supplier) => ({ kind: "OBLIGATION", value: `${supplier}\n${key}` }))
}
