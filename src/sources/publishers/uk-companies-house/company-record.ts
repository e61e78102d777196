/**
 * The stored record of one company, from the API or from the monthly file. Null means "this publication does not state it": the file has no
 * `overdue` flags, and unknown is not false.
 */
import { COMPANY_NUMBER_PATTERN } from "../../../../schemas/gb/company-number.ts"

// A type, not an interface: a register stores the record as `JsonValue`, and only a type alias is assignable to it.
export type CompanyRecord = {
  company_number: string
  company_name: string
  /** A value of `COMPANY_STATUSES`, or the publisher's own text if it is not one of them. */
  company_status: string | null
  company_status_detail: string | null
  company_type: string | null
  jurisdiction: string | null
  /** Dates are `YYYY-MM-DD`. */
  date_of_creation: string | null
  date_of_cessation: string | null
  registered_office_address: CompanyAddress
  sic_codes: string[]
  previous_company_names: PreviousCompanyName[]
  accounts_overdue: boolean | null
  confirmation_statement_overdue: boolean | null
  has_charges: boolean | null
  has_insolvency_history: boolean | null
  has_been_liquidated: boolean | null
}

type CompanyAddress = {
  line_1: string | null
  line_2: string | null
  locality: string | null
  region: string | null
  postal_code: string | null
  country: string | null
  care_of: string | null
  po_box: string | null
}

export type PreviousCompanyName = { name: string; ceased_on: string | null }

export const COMPANY_NUMBER = new RegExp(COMPANY_NUMBER_PATTERN)

/**
 * Returns the number as the register writes it: upper case, without spaces, and zero-filled to eight characters (only digits, or two
 * letters, digits and up to three closing letters). Returns null if no company can have it.
 */
export function normalizeCompanyNumber(text: string): string | null {
  const compact = text.replace(/\s+/g, "").toUpperCase()
  const [, prefix, digits, suffix] = /^([A-Z]{2}|)([0-9]{1,8})([A-Z]{0,3})$/.exec(compact) ?? []
  if (prefix === undefined || digits === undefined || suffix === undefined) {
    return COMPANY_NUMBER.test(compact) ? compact : null
  }
  // Without a prefix more than one closing letter is not a number of this register.
  if (prefix === "" && suffix.length > 1) return null
  const number = prefix + digits.padStart(8 - prefix.length - suffix.length, "0") + suffix
  return COMPANY_NUMBER.test(number) ? number : null
}
