/** One company from the monthly file and from the live register: shared values must be equal and in the same place. */
import { expect, test } from "bun:test"
import type { BulkColumn } from "../../../../src/sources/publishers/uk-companies-house/bulk-columns.ts"
import { BULK_COLUMNS } from "../../../../src/sources/publishers/uk-companies-house/bulk-columns.ts"
import { readRow } from "../../../../src/sources/publishers/uk-companies-house/bulk-record.ts"
import type { CompanyRecord } from "../../../../src/sources/publishers/uk-companies-house/company-record.ts"
import { readProfile } from "../../../../src/sources/publishers/uk-companies-house/rest-profile.ts"
import type { BulkCells } from "../../../fixtures/companies-house-file.ts"

const CELLS: BulkCells = {
  CompanyName: "LANTERN WORKS LLP",
  CompanyNumber: "OC301234",
  "RegAddress.AddressLine1": "12A HIGH STREET",
  "RegAddress.AddressLine2": "OLD TOWN",
  "RegAddress.PostTown": "LEEDS",
  "RegAddress.County": "WEST YORKSHIRE",
  "RegAddress.Country": "ENGLAND",
  "RegAddress.PostCode": "LS1 1AA",
  CompanyCategory: "Limited Liability Partnership",
  CompanyStatus: "In Administration",
  DissolutionDate: "",
  IncorporationDate: "04/03/2015",
  "Accounts.NextDueDate": "30/09/2026",
  ConfStmtNextDueDate: "18/03/2027",
  "Mortgages.NumMortCharges": "1",
  "SICCode.SicText_1": "62012 - Business and domestic software development",
  "PreviousName_1.CONDATE": "16/05/2018",
  "PreviousName_1.CompanyName": "LANTERN LLP",
}

const PROFILE = {
  company_number: "OC301234",
  company_name: "LANTERN WORKS LLP",
  company_status: "administration",
  type: "llp",
  date_of_creation: "2015-03-04",
  registered_office_address: {
    premises: "12A",
    address_line_1: "HIGH STREET",
    address_line_2: "OLD TOWN",
    locality: "LEEDS",
    region: "WEST YORKSHIRE",
    country: "ENGLAND",
    postal_code: "LS1 1AA",
  },
  sic_codes: ["62012"],
  previous_company_names: [{ name: "LANTERN LLP", effective_from: "2015-03-04", ceased_on: "2018-05-16" }],
  accounts: { overdue: true },
  confirmation_statement: { overdue: false },
  has_charges: true,
  has_insolvency_history: true,
  has_been_liquidated: false,
  jurisdiction: "england-wales",
}

/** Members without a column in the file. */
const UNSAID = { jurisdiction: null, has_insolvency_history: null, has_been_liquidated: null }

function ofFile(changes: BulkCells = {}): CompanyRecord {
  const cell = (column: BulkColumn) => ({ ...CELLS, ...changes })[BULK_COLUMNS[column].names[0] ?? ""] ?? ""
  return readRow(cell, "2026-11-01").record
}

function ofService(changes: object = {}): CompanyRecord {
  const body = new TextEncoder().encode(JSON.stringify({ ...PROFILE, ...changes }))
  const reading = readProfile(body, "OC301234")
  if (reading.kind !== "PROFILE") throw new Error(reading.detail)
  return reading.record
}

test("the monthly file and the live register give the same record of a company", () => {
  expect(ofFile()).toEqual({ ...ofService(), ...UNSAID })
  expect(Object.keys(ofFile())).toEqual(Object.keys(ofService()))
})

const statuses: readonly [text: string, status: string, detail: string | null][] = [
  ["Active", "active", null],
  ["Active - Proposal to Strike off", "active", "active-proposal-to-strike-off"],
  ["Liquidation", "liquidation", null],
  ["Voluntary Arrangement", "voluntary-arrangement", null],
  ["RECEIVERSHIP", "receivership", null],
]
test.each(statuses)("%s gives the same status in both", (text, company_status, company_status_detail) => {
  const service = ofService({ company_status, company_status_detail })
  expect(ofFile({ CompanyStatus: text })).toEqual({ ...service, ...UNSAID })
})

test("missing values are null in both", () => {
  const office = { "RegAddress.AddressLine2": "", "RegAddress.County": "", "RegAddress.PostCode": "" }
  const { address_line_2: _, region: __, postal_code: ___, ...less } = PROFILE.registered_office_address
  const file = ofFile({
    ...office,
    "PreviousName_1.CONDATE": "",
    "PreviousName_1.CompanyName": "",
    "SICCode.SicText_1": "None Supplied",
  })
  const service = ofService({
    registered_office_address: less,
    previous_company_names: undefined,
    sic_codes: undefined,
  })
  expect(file).toEqual({ ...service, ...UNSAID })
})
