/** Asks lists and registers about a supplier: as the request names it, and with every identifier that its owner's records know. */
import type { Company } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { SupplierFacts } from "../../checks/us/whole-supplier.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type SuppressionBook } from "../../sources/screening/suppress.ts"
import { readSupplierSet } from "../../store/sales/supplier-sets.ts"
import type { Unit } from "../../store/unit.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"
import { lookUpRegistration, type Registers } from "./registration.ts"
import { supplierQuery } from "./screening.ts"
import { namingOf } from "./supplier-naming.ts"

export interface SupplierSources {
  readonly index: NameIndex
  readonly suppressions: SuppressionBook
  readonly registers: Registers
  readonly tolerance: Tolerance
  /** Milliseconds. */
  readonly at: number
}

/** `unnamed`: keys of the identifiers of the supplier's set that the request does not name. */
export function supplierFacts(
  sources: SupplierSources,
  supplier: SupplierIdentity,
  unnamed: readonly string[],
): SupplierFacts {
  const own = factsWith(sources, supplier, [])
  return unnamed.length === 0
    ? own
    : { ...own, whole_supplier: { unnamed: [...unnamed], ...factsWith(sources, supplier, unnamed) } }
}

function factsWith(sources: SupplierSources, supplier: SupplierIdentity, unnamed: readonly string[]) {
  const { index, suppressions, registers, tolerance, at } = sources
  const registration = lookUpRegistration(registers, supplier, at, unnamed)
  const query = supplierQuery(named(supplier, registration), tolerance, unnamed)
  return {
    registration,
    screening: screeningFact(screen(index, query, judgeOf(suppressions, query, at)), query.threshold),
  }
}

/** Keys of the identifiers that these owners' records know of the company and that the request does not name. */
export function* unnamedIdentifiers(company: Company, owners: readonly string[]): Unit<string[]> {
  const naming = namingOf(company)
  const unnamed = new Set<string>()
  for (const owner of owners) for (const key of (yield* readSupplierSet(owner, naming)).unnamed) unnamed.add(key)
  return [...unnamed]
}
