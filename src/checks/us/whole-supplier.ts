/** Judges a supplier as the request names it, and under every identifier that its owner's records know. Pure. */
import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import type { WholeSupplier } from "../../../schemas/us/whole-supplier.ts"
import { found, type GateFindings } from "../policy/gate.ts"

/** What lists and registers say of a supplier. */
export interface SupplierFacts {
  readonly registration: RegistrationFact | null
  readonly screening: ScreeningFact
  readonly whole_supplier?: WholeSupplier
}

/** Returns the findings of both, so that leaving out an identifier loses none (rulings 89). The answer does not say which identifiers were added. */
export function judgeWhole(
  facts: SupplierFacts,
  judge: (supplier: Pick<SupplierFacts, "registration" | "screening">) => GateFindings,
): GateFindings {
  const own = judge(facts)
  if (!facts.whole_supplier) return own
  const whole = judge(facts.whole_supplier)
  return found(
    [...new Set([...own.codes, ...whole.codes])],
    [...new Set([...own.limitations, ...whole.limitations, "RECORDED_IDENTIFIERS_CHECKED"])],
  )
}
