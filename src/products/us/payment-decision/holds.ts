import type { ResolvedReference } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import { ServiceError } from "../../../errors.ts"
import type { Hold, HoldConflict } from "../../../store/sales/holds.ts"
import { obligationHolds } from "../obligation-holds.ts"

/** Returns what a running decision reserves within its organization: its mandate, the mandate's nonce, and its obligation (rulings 44). */
export function holdsOf(request: DecisionRequest): readonly Hold[] {
  return [...mandateHolds(request), ...obligationHolds(request.supplier.identifiers, request.invoice.obligation_id)]
}

/** Returns the key of one obligation to one supplier, by the supplier's strongest checked identifier (rulings 45). */
export function obligationOf(request: Pick<DecisionRequest, "supplier" | "invoice">): string {
  const { supplierKey } = checkSupplierIdentifiers(request.supplier.identifiers)
  return `${supplierKey}\n${obligationKey(request.invoice.obligation_id)}`
}

export function mandateHolds({ buyer_mandate: { payload } }: Pick<DecisionRequest, "buyer_mandate">): readonly Hold[] {
  return [
    { kind: "MANDATE_ID", value: payload.mandate_id },
    { kind: "MANDATE_NONCE", value: payload.nonce },
  ]
}

/** While a decision relies on a change authorization, no other request may use it (rulings 48). */
export function changeHolds(references: readonly ResolvedReference[]): readonly Hold[] {
  return references.flatMap(({ kind, reference }) =>
    kind === "CHANGE_AUTHORIZATION" ? [{ kind, value: reference }] : [],
  )
}

export function conflictRefusal({ spent }: HoldConflict): ServiceError {
  return spent
    ? new ServiceError("MANDATE_ALREADY_USED", "Sign a mandate with a fresh mandate_id and nonce for each request.")
    : new ServiceError(
        "DECISION_IN_PROGRESS",
        "Another request of this organization holds this obligation, this mandate or a change authorization it names.",
        {
          retryAfterSeconds: 5,
        },
      )
}
