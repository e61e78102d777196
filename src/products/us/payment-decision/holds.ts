import type { ResolvedReference } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../../base/errors.ts"
import { obligationKey } from "../../../checks/obligation.ts"
import { checkSupplierIdentifiers } from "../../../checks/us/supplier-identifiers.ts"
import type { Hold, HoldConflict } from "../../../store/sales/holds.ts"
import type { SupplierSet } from "../../../store/sales/supplier-sets.ts"
import { obligationHolds } from "../obligation-holds.ts"

/** Returns what a running decision reserves within its organization: its mandate, the mandate's nonce, and its obligation (rulings 44). */
export function holdsOf(request: DecisionRequest, set: SupplierSet): readonly Hold[] {
  return [...mandateHolds(request), ...obligationHolds(request.invoice.obligation_id, set)]
}

/** Whether a delivered authorization would make a set, or add an identifier, a name or an entity id to one. */
export function isNamedAnew({ naming, root, unknown, names, knowsEntity }: SupplierSet): boolean {
  const { nameKey } = naming
  return root === null || unknown.length > 0 || (nameKey !== "" && !names.includes(nameKey)) || !knowsEntity
}

/**
 * Returns what a running decision about a supplier that it names anew, or for whom no record vouches, reserves: identifiers, names, entity id,
 * and the sets that it is linked to. Otherwise two such decisions, neither of which sees the other, could release two destinations (rulings
 * 89). CHOICE: requests for one destination do not conflict, so that several invoices of a new supplier can be decided at the same time.
 */
export function supplierHolds(
  { payment_destination: { fingerprint } }: Pick<DecisionRequest, "payment_destination">,
  { naming, root, names, linked }: SupplierSet,
): readonly Hold[] {
  const { keys, nameKey, entityId } = naming
  const called = new Set([...names, ...(nameKey === "" ? [] : [nameKey])])
  return [
    ...keys,
    ...[...called].map((name) => `name\n${name}`),
    ...(entityId === null ? [] : [`entity\n${entityId}`]),
    ...[...(root === null ? [] : [root]), ...linked.map((one) => one.root)].map((id) => `set\n${id}`),
  ].map((value) => ({ kind: "SUPPLIER", value, destination: fingerprint }))
}

/** Returns the key of one obligation to one supplier, by the supplier's strongest checked identifier (rulings 45). */
export function obligationOf(request: Pick<DecisionRequest, "supplier" | "invoice">): string {
  const { supplierKey } = checkSupplierIdentifiers(request.supplier.identifiers)
  return `${supplierKey}\n${obligationKey(request.invoice.obligation_id)}`
}

function mandateHolds({ buyer_mandate: { payload } }: Pick<DecisionRequest, "buyer_mandate">): readonly Hold[] {
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

export function conflictRefusal({ kind, spent }: HoldConflict): ServiceError {
  if (kind === "SUPPLIER") {
    return new ServiceError(
      "DECISION_IN_PROGRESS",
      "Another request of this organization, which runs now, names this supplier for another destination. Ask again when it is decided.",
      { retryAfterSeconds: 5 },
    )
  }
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
