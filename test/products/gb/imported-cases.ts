/** The companies of the imported files, and the result of a payment to each. */
import { DAY, formatInstant } from "../../../src/core/time.ts"
import { type BulkCells, companyNumber } from "../../fixtures/companies-house-file.ts"
import { UK_ORGANISATION, type UkRow, ukRows } from "../../fixtures/uk-sanctions-list.ts"

export const NOW = Date.now()
/** Enough rows that two unknown texts do not count as a change of the form. */
export const ROWS = 2500
/** First of the month, as the publisher dates its file. */
export const DAY_OF_FILE = `${formatInstant(NOW - 5 * DAY).slice(0, 10)}`
const ukDate = (at: number) => formatInstant(at).slice(0, 10).split("-").reverse().join("/")

/** A company without any adverse finding. Each case changes one thing. */
const FAIR: BulkCells = {
  CompanyStatus: "Active",
  CompanyCategory: "Private Limited Company",
  DissolutionDate: "",
  IncorporationDate: "04/03/2015",
  "Accounts.NextDueDate": ukDate(NOW + 200 * DAY),
  "PreviousName_1.CompanyName": "",
  "PreviousName_1.CONDATE": "",
}

interface Case {
  readonly cells: BulkCells
  /** The registered name unless given. */
  readonly invoiceName?: string
  readonly codes: readonly string[]
}

export const NAME = "AMBER QUARRY JOINERY LIMITED"
const named = (name: string, cells: BulkCells = {}): BulkCells => ({ ...FAIR, CompanyName: name, ...cells })
export const CLEAR = ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"]

export const CASES: Readonly<Record<string, Case>> = {
  active: { cells: named(NAME), codes: CLEAR },
  "with another spelling of its name": { cells: named(NAME), invoiceName: "Amber Quarry Joinery Ltd.", codes: CLEAR },
  dissolved: {
    cells: named(NAME, { CompanyStatus: "Dissolved", DissolutionDate: "01/02/2026" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  closed: {
    cells: named(NAME, { CompanyStatus: "Converted / Closed" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  "of an unknown status": {
    cells: named(NAME, { CompanyStatus: "Dormant by decree" }),
    codes: ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
  },
  "without a status": {
    cells: named(NAME, { CompanyStatus: "" }),
    codes: ["EVIDENCE_INSUFFICIENT", "LIMITED_COVERAGE"],
  },
  "in liquidation": {
    cells: named(NAME, { CompanyStatus: "Liquidation" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "in administration": {
    cells: named(NAME, { CompanyStatus: "In Administration" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "in receivership": {
    cells: named(NAME, { CompanyStatus: "Live but Receiver Manager on at least one charge" }),
    codes: ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"],
  },
  "about to be struck off": {
    cells: named(NAME, { CompanyStatus: "Active - Proposal to Strike off" }),
    codes: ["COMPANY_STRIKE_OFF_PROPOSED", "LIMITED_COVERAGE"],
  },
  "with accounts overdue": {
    cells: named(NAME, { "Accounts.NextDueDate": ukDate(NOW - 60 * DAY) }),
    codes: ["ACCOUNTS_OVERDUE", "LIMITED_COVERAGE"],
  },
  "newly incorporated": {
    cells: named(NAME, { IncorporationDate: ukDate(NOW - 20 * DAY) }),
    codes: ["RECENTLY_INCORPORATED", "LIMITED_COVERAGE"],
  },
  "renamed, with its old name on the invoice": {
    cells: named(NAME, {
      "PreviousName_1.CompanyName": "COBALT FERRY LIMITED",
      "PreviousName_1.CONDATE": "16/05/2018",
    }),
    invoiceName: "Cobalt Ferry Ltd",
    codes: ["INVOICE_NAME_IS_PREVIOUS_NAME", "LIMITED_COVERAGE"],
  },
  "with a name like its own on the invoice": {
    cells: named(NAME),
    invoiceName: "Amber Quarry Joinery PLC",
    codes: ["INVOICE_NAME_SIMILAR", "LIMITED_COVERAGE"],
  },
  "with a stranger's name on the invoice": {
    cells: named(NAME),
    invoiceName: "Pewter Magpie Catering Ltd",
    codes: ["INVOICE_NAME_MISMATCH", "LIMITED_COVERAGE"],
  },
  listed: { cells: named(UK_ORGANISATION), codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"] },
  "with a name like a listed one": {
    cells: named("GRANITE FYORD HOLDINGS LIMITED"),
    codes: ["SANCTIONS_POSSIBLE_MATCH", "LIMITED_COVERAGE"],
  },
  "listed under the name it had": {
    cells: named(NAME, { "PreviousName_1.CompanyName": UK_ORGANISATION, "PreviousName_1.CONDATE": "16/05/2025" }),
    codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"],
  },
  "listed by its number": { cells: named(NAME), codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"] },
  "of a number that a foreign register gave out too": { cells: named(NAME), codes: CLEAR },
}
export const names = Object.keys(CASES)
export const numberOf = (name: string) => companyNumber(names.indexOf(name))

/** Two listed organisations under names of their own: one with a British number, one with the same digits of another country. */
const numbered = (id: string, name: string, registration: string): UkRow => ({
  "Unique ID": id,
  "Name 6": name,
  "Name type": "Primary Name",
  "Regime Name": "The Invented Matters (Sanctions) Regulations 2025",
  "Designation Type": "Entity",
  "Sanctions Imposed": "Asset freeze",
  "Business registration number (s)": registration,
})
export const LIST: readonly UkRow[] = [
  ...ukRows,
  numbered(
    "TST0101",
    "VERMILION PIER LOGISTICS",
    `Company number: ${numberOf("listed by its number")} (United Kingdom)`,
  ),
  numbered(
    "TST0102",
    "SAFFRON MESA TRADING",
    `Company number: ${numberOf("of a number that a foreign register gave out too")} (Russia)`,
  ),
]
