/** Judges a supplier as the request names it, and as its owner's records know it. Pure. */
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import type { RecordedSupplier } from "../../../schemas/us/recorded-supplier.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { found, type GateFindings } from "../policy/gate.ts"

/** What lists and registers say of a supplier. */
export interface SupplierFacts {
  readonly registration: RegistrationFact | null
  readonly screening: ScreeningFact
  readonly recorded_supplier?: RecordedSupplier
}

/**
 * Returns the findings of both, so that no identifier loses a finding when a request leaves it out, and none when a request adds one (rulings
 * 89). The answer does not say which identifiers the records know.
 */
export function judgeRecorded(
  facts: SupplierFacts,
  judge: (supplier: Pick<SupplierFacts, "registration" | "screening">) => GateFindings,
): GateFindings {
  const own = judge(facts)
  if (!facts.recorded_supplier) return own
  const { registration } = facts.recorded_supplier
  const all = [own, ...recordedScreenings(facts).map((screening) => judge({ registration, screening }))]
  return found(
    [...new Set(all.flatMap(({ codes }) => codes))],
    [...new Set([...all.flatMap(({ limitations }) => limitations), "RECORDED_IDENTIFIERS_CHECKED"])],
  )
}

/** The screenings of the supplier as the records know it: under the given name first, then under each recorded one. */
export function recordedScreenings({ recorded_supplier: recorded }: Pick<SupplierFacts, "recorded_supplier">) {
  return recorded ? [recorded.screening, ...(recorded.other_names ?? []).map(({ screening }) => screening)] : []
}
