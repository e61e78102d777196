import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { text } from "../text.ts"
import { Coverage, Jurisdiction } from "./covered.ts"
import { Correlation, FreshnessRequirements, SupplierIdentifiers } from "./payment-decision.ts"

/** A legal name over the screening limit of 350 characters could only be screened in part, so it is refused whole. */
export const Company = closed({
  legal_name: Type.Optional(text(1, 350)),
  identifiers: SupplierIdentifiers,
})
export type Company = Static<typeof Company>

/** What the bodies of the six US operations have in common. */
export const usOperationMembers = {
  schema_version: Type.Literal("1.0.0"),
  idempotency_key: text(8, 120),
  jurisdiction: Jurisdiction,
  coverage: Coverage,
  company: Company,
  freshness_requirements: FreshnessRequirements,
  correlation: Correlation,
}

const UsOperationRequest = closed(usOperationMembers)
export type UsOperationRequest = Static<typeof UsOperationRequest>

/** What the lists and registers say of the company's identity, in one word; the evidence says why. */
export const IdentityState = enumeration("REGISTERED", "ATTESTED_ONLY", "NOT_IN_REGISTER", "NAME_DIFFERS")
export type IdentityState = Static<typeof IdentityState>
