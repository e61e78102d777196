import type { GbCoverage } from "../../../schemas/business-answer.ts"

/** What a UK answer never checks. */
const LIMITATIONS = [
  "COMPANIES_HOUSE_REGISTER_ONLY",
  "UK_SANCTIONS_LIST_ONLY",
  "PROSCRIBED_ORGANISATIONS_NOT_CHECKED",
  "INVESTMENT_BANS_NOT_CHECKED",
  "DIRECTORS_AND_OWNERS_NOT_CHECKED",
  "BANK_ACCOUNT_NOT_CHECKED",
  "INVOICE_DOCUMENT_NOT_READ",
  "CALLER_EVIDENCE_NOT_VERIFIED",
  "NO_CONTINUOUS_MONITORING",
]

export const GB_COVERAGE: GbCoverage = {
  country: "GB",
  jurisdiction: "UNITED_KINGDOM",
  population: "COMPANIES_HOUSE_REGISTERED_ENTITIES",
  supported: true,
  limitations: LIMITATIONS,
}

/** A number that the register does not have is outside the population that the answer covers. */
export function gbCoverage({ outcome }: { readonly outcome: "FOUND" | "NOT_FOUND" }): GbCoverage {
  return { ...GB_COVERAGE, supported: outcome === "FOUND" }
}
