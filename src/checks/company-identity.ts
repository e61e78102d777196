import type { RegistrationFact } from "../../schemas/us/decision-facts.ts"
import { found, type GateFindings } from "./gate.ts"
import type { CheckedIdentifier } from "./supplier-identifiers.ts"

/**
 * What is known of the supplier's federal identity. Without an imported registration nothing beyond a format or check digits was
 * looked at: the identity is the caller's word, and the answer says so.
 */
export function companyIdentityGate(input: {
  readonly identifiers: readonly CheckedIdentifier[]
  readonly registration: RegistrationFact | null
}): GateFindings {
  const { identifiers, registration } = input
  const formatOnly = identifiers.every(({ assurance }) => assurance === "FORMAT_ONLY") && "IDENTIFIER_FORMAT_ONLY"
  if (registration === null) {
    return found(["IDENTITY_ATTESTED_ONLY"], ["ENTITY_REGISTRATION_NOT_CHECKED", formatOnly])
  }
  return found(
    [
      registration.found && !registration.name_agrees && "SUPPLIER_NAME_MISMATCH",
      !registration.found && "REGISTRATION_NOT_FOUND",
    ],
    [formatOnly],
  )
}
