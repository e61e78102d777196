import { obligationKey } from "../../checks/obligation.ts"
import type { Hold } from "../../store/sales/holds.ts"
import type { SupplierSet } from "../../store/sales/supplier-sets.ts"

/**
 * Returns one hold per identifier of the supplier, and per set that the supplier is or is linked to, so that two requests that name one
 * supplier are never decided concurrently, whatever identifiers they name (rulings 67, 89).
 */
export function obligationHolds(obligationId: string, { naming, root, linked }: SupplierSet): readonly Hold[] {
  const key = obligationKey(obligationId)
  const roots = [root, ...linked.map((one) => one.root)].filter((id) => id !== null)
  const suppliers = [...naming.keys, ...roots.map((id) => `set:${id}`)]
  return suppliers.map((supplier) => ({ kind: "OBLIGATION", value: `${supplier}\n${key}` }))
}
