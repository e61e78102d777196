/** Searches lists and registers for a supplier: as the request names it, and as its owner's records know it. */
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import type { Company } from "../../../schemas/us/operation-request.ts"
import type { Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { SupplierFacts } from "../../checks/us/recorded-supplier.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, screen } from "../../sources/screening/screen.ts"
import { screeningFact } from "../../sources/screening/screening-fact.ts"
import { judgeOf, type SuppressionBook } from "../../sources/screening/suppress.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { readNamedSet } from "../../store/sales/supplier-sets.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"
import { lookUpRegistration, type Registers } from "./registration.ts"
import { supplierQueries } from "./screening.ts"
import { namingOf } from "./supplier-naming.ts"

interface SupplierSources {
  readonly index: NameIndex
  readonly suppressions: SuppressionBook
  readonly registers: Registers
  readonly tolerance: Tolerance
  /** Milliseconds. */
  readonly at: number
}

/** What the owner's records know of a supplier. Empty if they do not know it. */
interface RecordedNaming {
  /** Keys of all identifiers. */
  readonly identifiers: readonly string[]
  /** Legal names that the request does not give. */
  readonly names: readonly string[]
}

export function supplierFacts(
  { index, suppressions, registers, tolerance, at }: SupplierSources,
  supplier: SupplierIdentity,
  { identifiers, names }: RecordedNaming,
): SupplierFacts {
  const screened = (query: ScreenQuery) =>
    screeningFact(screen(index, query, judgeOf(suppressions, query, at)), query.threshold)
  const registration = lookUpRegistration(registers, supplier, at)
  const given = named(supplier, registration)
  // The register may have supplied a recorded name.
  const others = names.filter((name) => legalNameKey(name) !== legalNameKey(given.legal_name ?? ""))
  const isNamedInFull = isSame(identifierKeys(supplier.identifiers), identifiers)
  const isKnown = identifiers.length > 0 && !(isNamedInFull && others.length === 0)
  const recorded = isKnown
    ? { identifiers: [...identifiers], registration: lookUpRegistration(registers, supplier, at, identifiers) }
    : null
  const naming = recorded && { ...recorded, other_names: others.map((legal_name) => ({ legal_name })) }
  const queries = supplierQueries(supplier, { registration, ...(naming && { recorded_supplier: naming }) }, tolerance)
  const [screening, underRecorded, ...underNames] = queries.map(screened) as [ScreeningFact, ...ScreeningFact[]]
  if (!recorded || !underRecorded) return { registration, screening }
  const otherNames = underNames.map((one, index) => ({ legal_name: others[index]!, screening: one }))
  const recordedSupplier = {
    ...recorded,
    screening: underRecorded,
    ...(otherNames.length > 0 && { other_names: otherNames }),
  }
  return { registration, screening, recorded_supplier: recordedSupplier }
}

/** Keys of all identifiers of the company that these owners' records know. Empty if they do not know it. */
export function* recordedIdentifiers(company: Company, owners: readonly string[]): Unit<string[]> {
  const naming = namingOf(company)
  const recorded = new Set<string>()
  for (const owner of owners) for (const key of (yield* readNamedSet(owner, naming)).recorded) recorded.add(key)
  return [...recorded]
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key))
}
