import { type Static, Type } from "@sinclair/typebox"
import { Correlation, closed, enumeration } from "../common.ts"
import { USE } from "../hints.ts"
import { text } from "../text.ts"
import { Coverage, Jurisdiction } from "./covered.ts"
import { FreshnessRequirements, SupplierIdentifiers } from "./payment-decision.ts"

/** A legal name above the screening limit of 350 characters could be screened only in part, so it is rejected. */
export const Company = closed({
  legal_name: Type.Optional(text(1, 350, { [USE]: "PROSE" })),
  identifiers: SupplierIdentifiers,
})
export type Company = Static<typeof Company>

/** The body members that the six US operations share. */
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

/** The result of lists and registers for the company's identity in one word. The evidence gives the reason. */
export const IdentityState = enumeration("REGISTERED", "ATTESTED_ONLY", "NOT_IN_REGISTER", "NAME_DIFFERS")
export type IdentityState = Static<typeof IdentityState>
