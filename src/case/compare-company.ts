/** The company of the request beside what registers and lists say of it. */
import type { ComparedRow } from "../../schemas/case.ts"
import { type CaseParts, compared, originOf, type RowsOf, unasked } from "./compared-row.ts"
import { at, itemsAt, numberAt, textAt, textMembersAt, type Value } from "./members.ts"

/** The member of a US request that names the company: a Payment Decision calls it the supplier. */
export function companyOf(request: Value): Value {
  return at(request, "supplier", "identifiers") === undefined ? at(request, "company") : at(request, "supplier")
}

/** Each identifier of the request, then the names of the registers that know it. */
export const registrations: RowsOf = ({ request, facts }) => {
  const company = companyOf(request)
  const given = textMembersAt(company, "identifiers")
  const lookups = itemsAt(facts, "registration", "lookups")
  const schemes = new Set(lookups.map((one) => textAt(one, "scheme")))
  return [
    ...lookups.flatMap((one) => lookupRows(one, textAt(company, "legal_name"), "")),
    ...given.filter(([scheme]) => !schemes.has(scheme)).map(([scheme, value]) => unchecked(scheme, value)),
    ...itemsAt(facts, "recorded_supplier", "registration", "lookups").flatMap((one) =>
      lookupRows(one, textAt(company, "legal_name"), " in the buyer's records"),
    ),
  ]
}

function unchecked(scheme: string, value: string): ComparedRow {
  return compared([scheme.toUpperCase(), value, null], false, { source: null, date: null })
}

function lookupRows(lookup: Value, legalName: string | null, where: string): ComparedRow[] {
  const origin = originOf(lookup)
  const value = textAt(lookup, "value")
  const isFound = at(lookup, "found") === true
  const scheme = `${(textAt(lookup, "scheme") ?? "identifier").toUpperCase()}${where}`
  const identifier = compared([scheme, value, isFound ? value : "not in the register"], isFound, origin)
  if (!isFound) return [identifier]
  const names = ["registered name", legalName, textAt(lookup, "registered_name")] as const
  return [
    identifier,
    compared(names, at(lookup, "name_agrees") === true, origin),
    unasked("status of the registration", textAt(lookup, "status"), origin),
  ]
}

/** Each required list: whether it was current when the answer was decided. */
export const lists: RowsOf = ({ facts }) =>
  itemsAt(facts, "sources").map((source) => {
    const ends = textAt(source, "stale_at")
    const decidedAt = textAt(facts, "at")
    const health = textAt(source, "health") ?? "UNKNOWN"
    const isCurrent = health === "HEALTHY" && ends !== null && decidedAt !== null && ends > decidedAt
    const entries = numberAt(source, "entries")?.toLocaleString("en-US") ?? "an unknown number of"
    const age = textAt(source, "freshness") === "AGING" ? ", older than the rhythm of its publisher" : ""
    const found = `${entries} entries, ${health.toLowerCase()}${age}, current until ${ends ?? "an unknown time"}`
    const what = `list ${textAt(source, "source_id") ?? "without a name"}`
    return compared([what, decidedAt && `current at ${decidedAt}`, found], isCurrent, originOf(source))
  })

/** The source of the facts about a UK company: they name no other. */
const REGISTER = "UK_COMPANIES_HOUSE"

/** What Companies House says of the number. */
export const ukRegister: RowsOf = (parts) => {
  const { request, facts } = parts
  const company = at(facts, "company")
  const record = at(company, "record")
  const origin = { ...originOf(company), source: REGISTER }
  const number = textAt(request, "company_number")
  const found = textAt(record, "company_number") ?? (record === null ? "no company" : null)
  const rows = [compared(["company number", number, found], found === number, origin), ...supplierNumber(parts)]
  if (record === null || record === undefined) return rows
  return [
    ...rows,
    unasked("registered name", textAt(record, "company_name"), origin),
    unasked("status of the company", textAt(record, "company_status"), origin),
    unasked("detail of the status", textAt(record, "company_status_detail"), origin),
    unasked("incorporated on", textAt(record, "date_of_creation"), origin),
    unasked("accounts overdue", yesOrNo(at(record, "accounts_overdue")), origin),
  ].filter(({ asked, found: value }) => asked !== null || value !== null)
}

function supplierNumber({ request }: CaseParts): ComparedRow[] {
  const own = textAt(request, "supplier", "company_number")
  if (own === null) return []
  const number = textAt(request, "company_number")
  return [compared(["number of the supplier", own, number], own === number, { source: "the request", date: null })]
}

function yesOrNo(value: Value): string | null {
  return value === true ? "yes" : value === false ? "no" : null
}

/** The company on the invoice beside the one that is registered. */
export const ukInvoice: RowsOf = ({ request, facts }) => {
  const origin = { ...originOf(at(facts, "company")), source: REGISTER }
  const number = textAt(request, "company_number")
  const onInvoice = textAt(request, "invoice", "company_number")
  const name = textAt(request, "invoice", "invoice_company_name")
  const previous = textAt(facts, "invoice_name", "previous_name")
  const registered = textAt(facts, "company", "record", "company_name")
  const isSame = at(facts, "invoice_name", "agrees") === true
  return [
    compared(["number on the invoice", onInvoice, number], onInvoice === number, { source: "the request", date: null }),
    compared(["name on the invoice", name, registered], isSame, origin),
    ...(previous === null ? [] : [compared(["name on the invoice, former name", name, previous], true, origin)]),
  ]
}
