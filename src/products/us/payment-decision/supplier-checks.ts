/** Checks a supplier against the service's own earlier decisions, before a quote and in the reserving transaction. */

import type { DecisionRequest, SupplierIdentifiers } from "../../../../schemas/us/payment-decision.ts"
import { type FieldError, ServiceError } from "../../../base/errors.ts"
import { foldCase } from "../../../core/text/fold-case.ts"
import { isRegisteredName } from "../../../store/sales/supplier-joins.ts"
import { type Contradiction, schemeOf } from "../../../store/sales/supplier-sets.ts"
import { lookUpRegistration, type Registers } from "../registration.ts"
import { registeredNames } from "../supplier-naming.ts"
import { conflictRefusal } from "./holds.ts"
import type { SupplierRecords } from "./records.ts"

/**
 * Only this organization's own delivered decisions count (rulings 45). Decisions of other organizations never cause a rejection. The register's
 * current name for an anchor of the supplier is no contradiction.
 */
export function judgeCollision({
  request,
  supplier,
  registers,
  at,
}: {
  readonly request: Pick<DecisionRequest, "supplier">
  readonly supplier: SupplierRecords
  readonly registers: Registers
  readonly at: number
}): ServiceError | null {
  const { set, anchors, conflict } = supplier
  const isRenamed = () => {
    const registered = registeredNames(lookUpRegistration(registers, request.supplier, at))
    return isRegisteredName(set.naming.nameKey, registered, anchors)
  }
  const contradictions = set.contradictions.filter(({ member }) => member !== "legal_name" || !isRenamed())
  return collisionRefusal(request, contradictions) ?? (conflict ? conflictRefusal(conflict) : null)
}

const EXPECTED = {
  legal_name: "a name of the earlier decisions about this supplier, or the register's current one",
  entity_id: "an id that no other supplier has",
} as const

/** Names the members without their values. Returns null if nothing is contradicted. */
export function collisionRefusal(
  { supplier }: Pick<DecisionRequest, "supplier">,
  contradictions: readonly Contradiction[],
): ServiceError | null {
  if (contradictions.length === 0) return null
  const errors = contradictions.map((one): FieldError => {
    const isKey = one.member === "identifiers"
    const member = isKey ? `identifiers/${identifierName(supplier.identifiers, schemeOf(one.key))}` : one.member
    const expected = isKey ? "an identifier of the same supplier as the others" : EXPECTED[one.member]
    return { pointer: `/supplier/${member}`, code: "IDENTITY_COLLISION", expected }
  })
  const detail =
    "Earlier decisions of this organization knew these as different suppliers. Name one supplier, or let the organization's mandate key link or unlink them (svc.supplier-identity.v1)."
  return new ServiceError("IDENTITY_COLLISION", detail, { errors })
}

/** The caller may write a scheme in any case. */
function identifierName(identifiers: SupplierIdentifiers, scheme: string): string {
  return Object.keys(identifiers).find((name) => foldCase(name) === scheme) ?? scheme
}
