/** Converts one row of the monthly file to the record that the register's API also gives. */
import { Cache } from "../../../core/cache.ts"
import { seenCell } from "../../records/unseen-characters.ts"
import { type BulkColumn, PREVIOUS_NAME_COLUMNS } from "./bulk-columns.ts"
import { type CompanyRecord, normalizeCompanyNumber, type PreviousCompanyName } from "./company-record.ts"
import { bulkCompanyType, bulkStatus, jurisdictionOfNumber } from "./vocabulary.ts"

/** The row cannot be converted. The message names the column and never its content. */
export class BadRow extends Error {}

type Cell = (column: BulkColumn) => string

interface ReadRow {
  readonly record: CompanyRecord
  /** The status is not one of the publisher's known texts; the record holds it as written. */
  readonly unknownStatus: boolean
  readonly unknownType: boolean
}

/** Size of the text cache. The publisher repeats a few texts millions of times. */
const REMEMBERED_MAX = 4096

const statusOf = remembered(bulkStatus)
const typeOf = remembered(bulkCompanyType)
const sicCodeOf = remembered((text: string) => /^[0-9]{4,5}(?![0-9])/.exec(text)?.[0] ?? null)

/** `asOf` is the day of the file's data, `YYYY-MM-DD`, or null if unknown. Throws {@link BadRow}. */
export function readRow(cell: Cell, asOf: string | null): ReadRow {
  const number = seenCell(cell("number")).replace(/\s+/g, "")
  // A number in another form than with spaces means that another program rewrote the file, and may have changed more.
  if (normalizeCompanyNumber(number) !== number)
    throw new BadRow("CompanyNumber does not have the form of a company number")
  const name = textOf(cell("name"))
  if (name === null) throw new BadRow("no CompanyName")
  const status = statusOf(cell("status"))
  const type = typeOf(cell("category"))
  return {
    unknownStatus: !status.known,
    unknownType: !type.known,
    record: {
      company_number: number,
      company_name: name,
      company_status: status.status,
      company_status_detail: status.detail,
      company_type: type.value,
      jurisdiction: jurisdictionOfNumber(number),
      date_of_creation: dateOf(cell, "incorporated", "IncorporationDate"),
      date_of_cessation: dateOf(cell, "dissolved", "DissolutionDate"),
      registered_office_address: {
        line_1: textOf(cell("line1")),
        line_2: textOf(cell("line2")),
        locality: textOf(cell("postTown")),
        region: textOf(cell("county")),
        postal_code: textOf(cell("postCode")),
        country: textOf(cell("country")),
        care_of: textOf(cell("careOf")),
        po_box: textOf(cell("poBox")),
      },
      sic_codes: sicCodes(cell),
      previous_company_names: previousNames(cell),
      accounts_overdue: isOverdue(dateOf(cell, "accountsDue", "Accounts.NextDueDate"), asOf),
      confirmation_statement_overdue: isOverdue(dateOf(cell, "statementDue", "ConfStmtNextDueDate"), asOf),
      has_charges: hasCharges(cell("charges")),
      has_insolvency_history: null,
      has_been_liquidated: null,
    },
  }
}

/** CHOICE: the monthly file has no overdue flags. A filing that was due before the file's day counts as overdue on that day. */
function isOverdue(due: string | null, asOf: string | null): boolean | null {
  return due === null || asOf === null ? null : due < asOf
}

/** CHOICE: `has_charges` is true if the count of charges is above zero, satisfied charges included, as in the register's own flag. */
function hasCharges(text: string): boolean | null {
  if (text === "0") return false
  if (text === "") return null
  if (!/^[0-9]{1,9}$/.test(text)) throw new BadRow("Mortgages.NumMortCharges is not a number")
  return Number(text) > 0
}

/** Returns the codes only, as the API gives them. `None Supplied` is not a code. */
function sicCodes(cell: Cell): string[] {
  const codes: string[] = []
  for (const column of ["sic1", "sic2", "sic3", "sic4"] as const) {
    const text = cell(column)
    const code = text === "" ? null : sicCodeOf(text)
    if (code !== null) codes.push(code)
  }
  return codes
}

function previousNames(cell: Cell): PreviousCompanyName[] {
  const names: PreviousCompanyName[] = []
  for (const [nameColumn, dateColumn] of PREVIOUS_NAME_COLUMNS) {
    const name = textOf(cell(nameColumn))
    if (name !== null) names.push({ name, ceased_on: dateOf(cell, dateColumn, "PreviousName CONDATE") })
  }
  return names
}

function textOf(text: string): string | null {
  if (text === "") return null
  const trimmed = seenCell(text)
  return trimmed === "" ? null : trimmed
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Converts dd/mm/yyyy to YYYY-MM-DD. */
function dateOf(cell: Cell, column: BulkColumn, title: string): string | null {
  const text = cell(column).trim()
  if (text === "") return null
  const [, day = "", month = "", year = ""] = /^([0-9]{2})\/([0-9]{2})\/([0-9]{4})$/.exec(text) ?? []
  const days = DAYS[Number(month) - 1]
  if (days === undefined || day === "00" || Number(day) > days) throw new BadRow(`${title} is not a date dd/mm/yyyy`)
  return `${year}-${month}-${day}`
}

function remembered<T>(read: (text: string) => T): (text: string) => T {
  const seen = new Cache<string, T>({ max: REMEMBERED_MAX })
  return (text) => {
    const known = seen.get(text)
    if (known !== undefined) return known
    const value = read(text)
    seen.set(text, value)
    return value
  }
}
