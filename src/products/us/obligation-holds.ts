import type { SupplierIdentifiers } from "../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../checks/obligation.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import type { Hold } from "../../store/sales/holds.ts"

/** One for each identifier of the supplier, so that two requests which share one of them are never decided side by side (rulings 67). */
export function obligationHolds(identifiers: SupplierIdentifiers, obligationId: string): readonly Hold[] {
  const key = obligationKey(obligationId)
  return identifierKeys(identifiers).map((identifier) => ({ kind: "OBLIGATION", value: `${identifier}\n${key}` }))
}
