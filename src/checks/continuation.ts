import type { ScreeningFact, ScreeningState } from "../../schemas/screening-facts.ts"
import { found, type GateFindings, waived } from "./gate.ts"

/** A program condition was or will be named by the screening gate itself; it does not take back what was authorized. */
const STILL_SUPPORTED: readonly ScreeningState[] = ["CLEAR", "PROGRAM_CONDITION"]

/** `prior` is the latest earlier authorization of the same supplier, re-screened against the list versions of this decision. */
export function continuationGate(prior: { readonly screening: ScreeningFact } | null): GateFindings {
  if (prior === null) return waived("NO_PRIOR_AUTHORIZATION")
  return found([!STILL_SUPPORTED.includes(prior.screening.state) && "PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED"])
}
