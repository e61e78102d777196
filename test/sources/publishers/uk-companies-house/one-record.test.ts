/** The same companies from the service and from the monthly file: equal records, except for values that the file does not state. */
import { describe, expect, test } from "bun:test"
import { ukCompaniesHouse } from "../../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { CompanyRecord } from "../../../../src/sources/publishers/uk-companies-house/company-record.ts"
import { readProfile } from "../../../../src/sources/publishers/uk-companies-house/rest-profile.ts"
import { headerText, rowText } from "../../../fixtures/companies-house-file.ts"
import { readRegister } from "../../../fixtures/register-files.ts"
import { profile } from "./rest-test-client.ts"

const FILE = "BasicCompanyDataAsOneFile-2026-11-01.csv"

const CELLS: Readonly<Record<string, string>> = {
  CompanyName: "EXAMPLE TRADING LIMITED",
  CompanyNumber: "SC006400",
  "RegAddress.AddressLine1": "1 Example Street",
  "RegAddress.PostTown": "Exampleton",
  "RegAddress.Country": "Scotland",
  "RegAddress.PostCode": "EX1 1EX",
  CompanyCategory: "Private Limited Company",
  CompanyStatus: "Active",
  CountryOfOrigin: "United Kingdom",
  IncorporationDate: "04/03/2015",
  "Accounts.NextDueDate": "30/09/2027",
  "Mortgages.NumMortCharges": "2",
  "SICCode.SicText_1": "62012 - Business and domestic software development",
  "PreviousName_1.CONDATE": "16/05/2018",
  "PreviousName_1.CompanyName": "OLDER NAME LTD",
  ConfStmtNextDueDate: "18/03/2026",
}

const PROFILE = {
  company_number: "SC006400",
  jurisdiction: "scotland",
  registered_office_address: {
    address_line_1: "1 Example Street",
    country: "Scotland",
    locality: "Exampleton",
    postal_code: "EX1 1EX",
  },
}

async function filed(changes: Readonly<Record<string, string>> = {}): Promise<CompanyRecord> {
  const text = headerText() + rowText({ ...CELLS, ...changes })
  const { entries, hard } = await readRegister(ukCompaniesHouse, [FILE, text])
  expect(hard).toEqual([])
  return entries[0]?.record as CompanyRecord
}

function served(changes: Record<string, unknown> = {}): CompanyRecord {
  const reading = readProfile(new TextEncoder().encode(JSON.stringify(profile({ ...PROFILE, ...changes }))), "SC006400")
  if (reading.kind !== "PROFILE") throw new Error(reading.detail)
  return reading.record
}

describe("both sources give the same record of a company", () => {
  for (const [what, cells, members] of [
    ["active", {}, {}],
    [
      "to be struck off",
      { CompanyStatus: "Active - Proposal to Strike off" },
      { company_status_detail: "active-proposal-to-strike-off" },
    ],
    ["in liquidation", { CompanyStatus: "Liquidation" }, { company_status: "liquidation" }],
    ["in administration", { CompanyStatus: "In Administration" }, { company_status: "administration" }],
    ["public", { CompanyCategory: "Public Limited Company" }, { type: "plc" }],
    ["a partnership", { CompanyCategory: "Limited Liability Partnership" }, { type: "llp" }],
    ["late with its accounts", { "Accounts.NextDueDate": "30/09/2026" }, { accounts: { overdue: true } }],
    ["without charges", { "Mortgages.NumMortCharges": "0" }, { has_charges: false }],
    [
      "without a former name",
      { "PreviousName_1.CONDATE": "", "PreviousName_1.CompanyName": "" },
      { previous_company_names: undefined },
    ],
    ["without a business", { "SICCode.SicText_1": "None Supplied" }, { sic_codes: undefined }],
  ] as const) {
    test(what, async () => {
      // The file states neither of these.
      const silent = { has_insolvency_history: null, has_been_liquidated: null }
      expect(await filed(cells)).toEqual({ ...served(members), ...silent })
    })
  }
})
