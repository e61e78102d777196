/** Searches lists and registers for a supplier: as the request names it, and as its owner's records know it. */
import type { Company } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { SupplierFacts } from "../../checks/us/recorded-supplier.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type SuppressionBook } from "../../sources/screening/suppress.ts"
import { readSupplierSet } from "../../store/sales/supplier-sets.ts"
import type { Unit } from "../../store/unit.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"
import { lookUpRegistration, type Registers } from "./registration.ts"
import { recordedQuery, supplierQuery } from "./screening.ts"
import { namingOf } from "./supplier-naming.ts"

export interface SupplierSources {
  readonly index: NameIndex
  readonly suppressions: SuppressionBook
  readonly registers: Registers
  readonly tolerance: Tolerance
  /** Milliseconds. */
  readonly at: number
}

/** `recorded`: keys of all identifiers of the supplier that its owner's records know. Empty if they do not know it. */
export function supplierFacts(
  { index, suppressions, registers, tolerance, at }: SupplierSources,
  supplier: SupplierIdentity,
  recorded: readonly string[],
): SupplierFacts {
  const screened = (query: ScreenQuery) =>
    screeningFact(screen(index, query, judgeOf(suppressions, query, at)), query.threshold)
  const registration = lookUpRegistration(registers, supplier, at)
  const own = { registration, screening: screened(supplierQuery(named(supplier, registration), tolerance)) }
  if (recorded.length === 0 || isSame(identifierKeys(supplier.identifiers), recorded)) return own
  const found = { identifiers: [...recorded], registration: lookUpRegistration(registers, supplier, at, recorded) }
  return {
    ...own,
    recorded_supplier: { ...found, screening: screened(recordedQuery(supplier, registration, found, tolerance)) },
  }
}

/** Keys of all identifiers of the company that these owners' records know. Empty if they do not know it. */
export function* recordedIdentifiers(company: Company, owners: readonly string[]): Unit<string[]> {
  const naming = namingOf(company)
  const recorded = new Set<string>()
  for (const owner of owners) for (const key of (yield* readSupplierSet(owner, naming)).recorded) recorded.add(key)
  return [...recorded]
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key))
}
