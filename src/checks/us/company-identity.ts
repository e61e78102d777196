import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { found, type GateFindings } from "../policy/gate.ts"
import { provenanceLimitations } from "../policy/source-provenance.ts"
import type { CheckedIdentifier } from "./supplier-identifiers.ts"

/**
 * Checks the supplier's federal identity. Without an imported registration only format or check digits were checked. Then the identity is
 * the caller's statement, and the answer says so.
 */
export function companyIdentityGate(input: {
  readonly identifiers: readonly CheckedIdentifier[]
  readonly registration: RegistrationFact | null
}): GateFindings {
  const { identifiers, registration } = input
  const lookups = registration?.lookups ?? []
  const seen = new Set(lookups.filter((one) => one.found).map(({ scheme }) => scheme as string))
  const formatOnly =
    identifiers.every(({ kind, assurance }) => assurance === "FORMAT_ONLY" && !seen.has(kind)) &&
    "IDENTIFIER_FORMAT_ONLY"
  if (registration === null) {
    return found(["IDENTITY_ATTESTED_ONLY"], ["ENTITY_REGISTRATION_NOT_CHECKED", formatOnly])
  }
  const lookedUp = new Set(lookups.map(({ scheme }) => scheme as string))
  const unseen = identifiers.some(({ kind }) => kind !== "ein" && !lookedUp.has(kind))
  const absent = lookups.filter((one) => !one.found)
  const isProven = absent.some((one) => one.is_incomplete === undefined) || lookups.length === 0
  return found(
    [
      !registration.name_agrees && (registration.found || lookups.length > 0) && "SUPPLIER_NAME_MISMATCH",
      !registration.found && isProven && "REGISTRATION_NOT_FOUND",
      absent.some((one) => one.is_incomplete === true) && "EVIDENCE_INSUFFICIENT",
    ],
    [
      formatOnly,
      lookups.length > 0 && unseen && "IDENTIFIER_NOT_CHECKED_IN_REGISTER",
      lookups.some((one) => one.is_current === false) && "REGISTRATION_NOT_CURRENT",
      ...provenanceLimitations(lookups),
    ],
  )
}
