/**
 * Parses the body of a company profile. Unknown members are allowed. A missing or mistyped required member is a schema break: read as
 * "nothing", it would make a dissolved company look like one without a status.
 */
import { type JsonValue, readJson, StrictJsonError } from "../../../core/strict-json.ts"
import { type CompanyRecord, normalizeCompanyNumber, type PreviousCompanyName } from "./company-record.ts"

export const PROFILE_PARSER = "uk-companies-house-rest/1"

type ProfileReading =
  | { readonly kind: "PROFILE"; readonly record: CompanyRecord; readonly etag: string | null }
  /** `detail` names the member, never its value. */
  | { readonly kind: "BREAK"; readonly code: ProfileFault; readonly detail: string }

type ProfileFault = "ANSWER_NOT_JSON" | "ANSWER_MEMBER_INVALID" | "ANSWER_FOR_ANOTHER_COMPANY"

const NAMES_MAX = 100
const SIC_CODES_MAX = 20
const TEXT_MAX = 2000

class MemberFault extends Error {}

/** `companyNumber` is the requested number, in eight characters. */
export function readProfile(body: Uint8Array, companyNumber: string): ProfileReading {
  let value: JsonValue
  try {
    value = readJson(body)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    return { kind: "BREAK", code: "ANSWER_NOT_JSON", detail: "the body is not strict JSON" }
  }
  try {
    const profile = members(value, "the profile")
    const found = text(profile, "company_number")
    if (normalizeCompanyNumber(found) !== companyNumber) {
      return {
        kind: "BREAK",
        code: "ANSWER_FOR_ANOTHER_COMPANY",
        detail: "company_number differs from the requested one",
      }
    }
    return { kind: "PROFILE", record: recordOf(profile, companyNumber), etag: maybeText(profile, "etag") }
  } catch (error) {
    if (!(error instanceof MemberFault)) throw error
    return { kind: "BREAK", code: "ANSWER_MEMBER_INVALID", detail: error.message }
  }
}

function recordOf(profile: Members, companyNumber: string): CompanyRecord {
  // For companies that other authorities register, the register has only partial data and states this.
  const isPartial = maybeText(profile, "partial_data_available") !== null
  const office = maybeMembers(profile, "registered_office_address") ?? {}
  const premises = maybeText(office, "premises")
  const street = maybeText(office, "address_line_1")
  return {
    company_number: companyNumber,
    company_name: text(profile, "company_name"),
    company_status: isPartial ? maybeText(profile, "company_status") : text(profile, "company_status"),
    company_status_detail: maybeText(profile, "company_status_detail"),
    company_type: text(profile, "type"),
    jurisdiction: maybeText(profile, "jurisdiction"),
    date_of_creation: maybeDate(profile, "date_of_creation"),
    date_of_cessation: maybeDate(profile, "date_of_cessation"),
    registered_office_address: {
      line_1: [premises, street].filter((part) => part !== null).join(" ") || null,
      line_2: maybeText(office, "address_line_2"),
      locality: maybeText(office, "locality"),
      region: maybeText(office, "region"),
      postal_code: maybeText(office, "postal_code"),
      country: maybeText(office, "country"),
      care_of: maybeText(office, "care_of"),
      po_box: maybeText(office, "po_box"),
    },
    sic_codes: list(profile, "sic_codes", SIC_CODES_MAX).map((code) => textOf(code, "sic_codes")),
    previous_company_names: list(profile, "previous_company_names", NAMES_MAX).map(previousName),
    accounts_overdue: maybeFlag(maybeMembers(profile, "accounts"), "overdue"),
    confirmation_statement_overdue: maybeFlag(maybeMembers(profile, "confirmation_statement"), "overdue"),
    has_charges: maybeFlag(profile, "has_charges"),
    has_insolvency_history: maybeFlag(profile, "has_insolvency_history"),
    has_been_liquidated: maybeFlag(profile, "has_been_liquidated"),
  }
}

function previousName(value: JsonValue): PreviousCompanyName {
  const former = members(value, "previous_company_names")
  return { name: text(former, "name"), ceased_on: maybeDate(former, "ceased_on") }
}

type Members = { readonly [name: string]: JsonValue }

function members(value: JsonValue | undefined, name: string): Members {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new MemberFault(`${name} is not an object`)
  return value
}

function maybeMembers(from: Members, name: string): Members | null {
  const value = own(from, name)
  return value === null ? null : members(value, name)
}

/** Returns null for a member that is absent or null; the service uses both with the same meaning. */
function own(from: Members, name: string): JsonValue {
  return Object.hasOwn(from, name) ? (from[name] ?? null) : null
}

function textOf(value: JsonValue, name: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new MemberFault(`${name} is missing or not a text`)
  if (value.length > TEXT_MAX) throw new MemberFault(`${name} is longer than ${TEXT_MAX} characters`)
  return value.trim()
}

function text(from: Members, name: string): string {
  return textOf(own(from, name), name)
}

function maybeText(from: Members, name: string): string | null {
  const value = own(from, name)
  return value === null || (typeof value === "string" && value.trim() === "") ? null : textOf(value, name)
}

function maybeDate(from: Members, name: string): string | null {
  const value = maybeText(from, name)
  if (value !== null && !/^\d{4}-\d{2}-\d{2}$/.test(value)) throw new MemberFault(`${name} is not a date`)
  return value
}

function maybeFlag(from: Members | null, name: string): boolean | null {
  const value = from === null ? null : own(from, name)
  if (value !== null && typeof value !== "boolean") throw new MemberFault(`${name} is not a boolean`)
  return value
}

function list(from: Members, name: string, max: number): JsonValue[] {
  const value = own(from, name)
  if (value === null) return []
  if (!Array.isArray(value)) throw new MemberFault(`${name} is not an array`)
  if (value.length > max) throw new MemberFault(`${name} has more than ${max} members`)
  return value
}
