/** Maps the words of the register to their meaning for a payment. Pure. A word without an entry never counts as good. */
import type { GbCompanyRecord } from "../../../schemas/gb/supplier-facts.ts"
import { DAY, parseInstant } from "../../core/time.ts"

export type CompanyStatus = "ACTIVE" | "STRIKE_OFF_PROPOSED" | "IN_INSOLVENCY" | "NOT_ACTIVE" | "UNCLEAR"

/** The register uses `open` and `registered` for establishments and overseas entities. */
const OF_STATUS: ReadonlyMap<string, CompanyStatus> = new Map([
  ["active", "ACTIVE"],
  ["open", "ACTIVE"],
  ["registered", "ACTIVE"],
  ["liquidation", "IN_INSOLVENCY"],
  ["administration", "IN_INSOLVENCY"],
  ["receivership", "IN_INSOLVENCY"],
  ["voluntary-arrangement", "IN_INSOLVENCY"],
  ["insolvency-proceedings", "IN_INSOLVENCY"],
  ["dissolved", "NOT_ACTIVE"],
  ["converted-closed", "NOT_ACTIVE"],
  ["closed", "NOT_ACTIVE"],
  ["removed", "NOT_ACTIVE"],
])

/**
 * CHOICE: a company that was converted into another form, or that has an unlisted detail, is UNCLEAR, because it may continue under another
 * number. A person checks it; the answer does not say that the company is gone.
 */
const OF_DETAIL: ReadonlyMap<string, CompanyStatus> = new Map([
  ["active", "ACTIVE"],
  ["active-proposal-to-strike-off", "STRIKE_OFF_PROPOSED"],
  ["dissolved", "NOT_ACTIVE"],
  ["converted-closed", "NOT_ACTIVE"],
  ["transferred-from-uk", "NOT_ACTIVE"],
  ["petition-to-restore-dissolved", "NOT_ACTIVE"],
  ["transformed-to-se", "UNCLEAR"],
  ["converted-to-plc", "UNCLEAR"],
  ["converted-to-uk-societas", "UNCLEAR"],
  ["converted-to-ukeig", "UNCLEAR"],
])

const WORST_FIRST = ["NOT_ACTIVE", "IN_INSOLVENCY", "STRIKE_OFF_PROPOSED", "UNCLEAR", "ACTIVE"] as const

/**
 * CHOICE: a status that is not a word of the register is NOT_ACTIVE. A missing status is UNCLEAR: the register leaves it out for companies
 * that another authority keeps. A company that is both active and ended is UNCLEAR too. `at` is in milliseconds.
 */
export function companyStatus(record: GbCompanyRecord, at: number): CompanyStatus {
  const { company_status: status, company_status_detail: detail, date_of_cessation: ended } = record
  const found: readonly CompanyStatus[] = [
    status === null ? "UNCLEAR" : (OF_STATUS.get(status) ?? "NOT_ACTIVE"),
    detail === null ? "ACTIVE" : (OF_DETAIL.get(detail) ?? "UNCLEAR"),
    ended !== null && !isAfter(ended, at) ? "UNCLEAR" : "ACTIVE",
  ]
  return WORST_FIRST.find((status) => found.includes(status)) ?? "UNCLEAR"
}

/** Returns whole days from the day of incorporation to `at` (ms), or null if the register states no valid date. */
export function daysSinceIncorporation({ date_of_creation: date }: GbCompanyRecord, at: number): number | null {
  const since = date === null ? null : parseInstant(`${date}T00:00:00Z`)
  return since === null ? null : Math.floor((at - since) / DAY)
}

/** A date that does not exist returns false. */
function isAfter(date: string, at: number): boolean {
  const day = parseInstant(`${date}T00:00:00Z`)
  return day !== null && day > at
}
