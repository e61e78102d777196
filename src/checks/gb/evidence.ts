/** The evidence of a UK answer as observations: the register, the list for each name, and the caller's own statements, labelled as such. */
import type { GbPaymentRequest } from "../../../schemas/gb/payment.ts"
import type { GbCompanyFact, GbCompanyRecord, GbFacts, ScreenedName } from "../../../schemas/gb/supplier-facts.ts"
import type { Observation } from "../../../schemas/observation.ts"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { without } from "../../core/without.ts"
import { callerStatement } from "../attested-evidence.ts"
import { observation, screeningObservation } from "../policy/observation.ts"
import { provenanceClaims } from "../policy/source-provenance.ts"

export function supplierEvidence(companyNumber: string, facts: GbFacts): Observation[] {
  const roles = screenedRoles(facts.screened_names)
  return [
    companyObservation(companyNumber, facts.company),
    ...facts.sources.flatMap((source) =>
      facts.screened_names.map((one, at) => screenedObservation(source, one, roles[at] ?? one.role)),
    ),
  ]
}

/** One look-up of the company in the register. */
function companyObservation(companyNumber: string, fact: GbCompanyFact): Observation {
  return observation({
    source_id: "UK_COMPANIES_HOUSE",
    source_url: fact.source_url,
    source_version: fact.source_version,
    source_timestamp: fact.source_timestamp,
    retrieved_at: fact.retrieved_at,
    parser_version: fact.parser_version,
    raw_sha256: fact.raw_sha256,
    freshness: fact.freshness,
    claims: [
      `REGISTER:${fact.via === "LIVE" ? "LIVE" : "MONTHLY_FILE"}`,
      `${fact.record ? "COMPANY_FOUND" : "COMPANY_NOT_FOUND"}:${companyNumber}`,
      ...(fact.record ? recordClaims(fact.record) : []),
      ...provenanceClaims(fact),
    ],
  })
}

function recordClaims(record: GbCompanyRecord): string[] {
  const { company_status_detail: detail, date_of_creation: since } = record
  return [
    `COMPANY_STATUS:${word(record.company_status ?? "NOT_STATED")}`,
    ...(detail === null ? [] : [`COMPANY_STATUS_DETAIL:${word(detail)}`]),
    ...(since === null ? [] : [`INCORPORATED:${since}`]),
    `ACCOUNTS_OVERDUE:${flag(record.accounts_overdue)}`,
    `CONFIRMATION_STATEMENT_OVERDUE:${flag(record.confirmation_statement_overdue)}`,
    `INSOLVENCY_HISTORY:${flag(record.has_insolvency_history)}`,
  ]
}

function flag(value: boolean | null): string {
  return value === null ? "NOT_STATED" : value ? "YES" : "NO"
}

/**
 * Converts a publisher's word to a claim: `active-proposal-to-strike-off` becomes ACTIVE_PROPOSAL_TO_STRIKE_OFF. A claim has one colon
 * (rulings 5).
 */
function word(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_")
}

function screenedObservation(source: SourceFact, { screening }: ScreenedName, role: string): Observation {
  const content = without(screeningObservation(source, screening, []), "evidence_id")
  return observation({ ...content, claims: [`SCREENED:${role}`, ...content.claims] })
}

/** Returns the role of each name for claims. Several previous names get numbers, in the order of the facts. */
export function screenedRoles(names: readonly Pick<ScreenedName, "role">[]): string[] {
  const seen = new Map<string, number>()
  return names.map(({ role }) => {
    const count = (seen.get(role) ?? 0) + 1
    seen.set(role, count)
    return role === "PREVIOUS_NAME" ? `${role}_${count}` : role
  })
}

/** The invoice as the caller states it. The service never sees the document. */
export function invoiceEvidence(invoice: GbPaymentRequest["invoice"], { at }: Pick<GbFacts, "at">): Observation {
  const claims = [`COMPANY_NUMBER:${invoice.company_number}`]
  return callerStatement({ sourceId: "CALLER_INVOICE_FIELDS", kind: "invoice-fields", at, claims }, invoice)
}
