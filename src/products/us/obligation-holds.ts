import type { SupplierIdentifiers } from "../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../checks/obligation.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import type { Hold } from "../../store/sales/holds.ts"

/**
 * Returns one hold per identifier of the supplier, so that two requests that share an identifier are never decided concurrently (rulings
 * 67).
 */
export function obligationHolds(identifiers: SupplierIdentifiers, obligationId: string): readonly Hold[] {
  const key = obligationKey(obligationId)
  return identifierKeys(identifiers).map((identifier) => ({ kind: "OBLIGATION", value: `${identifier}\n${key}` }))
}
