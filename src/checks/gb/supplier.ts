import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { instant } from "../../core/time.ts"
import { found, type GateResult } from "../policy/gate.ts"
import { isAcceptedFact, provenanceLimitations, SOURCE_ACCEPTED } from "../policy/source-provenance.ts"
import { companyStatus, daysSinceIncorporation } from "./company-status.ts"
import { type SanctionsThresholds, sanctionsFindings } from "./sanctions.ts"

export interface SupplierThresholds extends SanctionsThresholds {
  readonly recently_incorporated_days: number
  /** Code for a number that only the monthly file lacks. Absent in policy versions that treated the number as not registered. */
  readonly monthly_file_absence?: "COMPANY_NOT_IN_MONTHLY_FILE"
}

/** Checks the company against the register and the UK list. `supplierNumber` is the number that the request repeats, or null. */
export function supplierGate(
  request: { readonly companyNumber: string; readonly supplierNumber: string | null },
  facts: GbFacts,
  thresholds: SupplierThresholds,
): GateResult<"SUPPLIER"> {
  const { companyNumber, supplierNumber } = request
  const sanctions = sanctionsFindings(facts, thresholds)
  const register = registerFindings(facts, thresholds)
  const findings = found(
    [
      supplierNumber !== null && supplierNumber !== companyNumber && "SUPPLIER_COMPANY_MISMATCH",
      ...register.codes,
      ...sanctions.codes,
    ],
    [...register.limitations, ...sanctions.limitations],
  )
  return { gate: "SUPPLIER", ...findings, codes: [...new Set(findings.codes)] }
}

/**
 * Only the live register proves that a number belongs to no company: the monthly file can be a month old and contains no dissolved
 * companies.
 */
function registerFindings({ company, at }: GbFacts, thresholds: SupplierThresholds) {
  const { record, via, reason_codes: reasons } = company
  const isBulk = via === "BULK"
  const about = [
    isBulk && "REGISTER_IS_MONTHLY_FILE",
    isBulk && record === null && "DISSOLVED_AND_NEWEST_COMPANIES_NOT_IN_MONTHLY_FILE",
    reasons.includes("LIVE_REGISTER_UNAVAILABLE") && "LIVE_REGISTER_UNAVAILABLE",
    company.freshness === "AGING" && "SOURCE_AGING",
    ...provenanceLimitations([company]),
  ] as const
  const accepted = isAcceptedFact(company) && SOURCE_ACCEPTED
  if (record === null) {
    const absent = (isBulk && thresholds.monthly_file_absence) || "COMPANY_NOT_REGISTERED"
    return found([absent, accepted], about)
  }
  const isStale = company.freshness === "STALE" || instant(company.stale_at) <= instant(at)
  const status = companyStatus(record, instant(at))
  const days = daysSinceIncorporation(record, instant(at))
  return found(
    [
      status === "NOT_ACTIVE" && "COMPANY_NOT_ACTIVE",
      status === "IN_INSOLVENCY" && "COMPANY_IN_INSOLVENCY",
      status === "STRIKE_OFF_PROPOSED" && "COMPANY_STRIKE_OFF_PROPOSED",
      (status === "UNCLEAR" || isStale) && "EVIDENCE_INSUFFICIENT",
      record.accounts_overdue === true && "ACCOUNTS_OVERDUE",
      days !== null && days < thresholds.recently_incorporated_days && "RECENTLY_INCORPORATED",
      accepted,
    ],
    [
      ...about,
      record.accounts_overdue === null && "ACCOUNTS_NOT_KNOWN",
      days === null && "INCORPORATION_DATE_NOT_KNOWN",
    ],
  )
}
