import { describe, expect, test } from "bun:test"
import type { BulkColumn } from "../../../../src/sources/publishers/uk-companies-house/bulk-columns.ts"
import { BULK_COLUMNS } from "../../../../src/sources/publishers/uk-companies-house/bulk-columns.ts"
import { BadRow, readRow } from "../../../../src/sources/publishers/uk-companies-house/bulk-record.ts"
import { BULK_HEADER, type BulkCells } from "../../../fixtures/companies-house-file.ts"

const CELLS: BulkCells = {
  CompanyName: " HARBOR LIGHT INSTRUMENTS LIMITED ",
  CompanyNumber: "SC123456",
  "RegAddress.CareOf": "J. DOE",
  "RegAddress.POBox": "12",
  "RegAddress.AddressLine1": "1 HIGH STREET",
  "RegAddress.AddressLine2": "",
  "RegAddress.PostTown": "GLASGOW",
  "RegAddress.County": "  ",
  "RegAddress.Country": "SCOTLAND",
  "RegAddress.PostCode": "G1 1AA",
  CompanyCategory: "Private Limited Company",
  CompanyStatus: "Active - Proposal to Strike off",
  IncorporationDate: "29/02/2016",
  "Accounts.NextDueDate": "31/10/2026",
  ConfStmtNextDueDate: "01/11/2026",
  "Mortgages.NumMortCharges": "3",
  "SICCode.SicText_1": "62012 - Business and domestic software development",
  "SICCode.SicText_2": "None Supplied",
  "SICCode.SicText_3": "9999 - Dormant company",
  "PreviousName_1.CONDATE": "05/04/2019",
  "PreviousName_1.CompanyName": "LANTERN INSTRUMENTS LIMITED",
  "PreviousName_2.CONDATE": "",
  "PreviousName_2.CompanyName": "FIRST NAME LIMITED",
}

function cellOf(changes: BulkCells): (column: BulkColumn) => string {
  return (column) => ({ ...CELLS, ...changes })[BULK_COLUMNS[column].names[0] ?? ""] ?? ""
}

describe("one row of the monthly file", () => {
  test("becomes the same record as from the register's own service, with null for what the file does not state", () => {
    expect(readRow(cellOf({}), "2026-11-01")).toEqual({
      unknownStatus: false,
      unknownType: false,
      record: {
        company_number: "SC123456",
        company_name: "HARBOR LIGHT INSTRUMENTS LIMITED",
        company_status: "active",
        company_status_detail: "active-proposal-to-strike-off",
        company_type: "ltd",
        jurisdiction: "scotland",
        date_of_creation: "2016-02-29",
        date_of_cessation: null,
        registered_office_address: {
          line_1: "1 HIGH STREET",
          line_2: null,
          locality: "GLASGOW",
          region: null,
          postal_code: "G1 1AA",
          country: "SCOTLAND",
          care_of: "J. DOE",
          po_box: "12",
        },
        sic_codes: ["62012", "9999"],
        previous_company_names: [
          { name: "LANTERN INSTRUMENTS LIMITED", ceased_on: "2019-04-05" },
          { name: "FIRST NAME LIMITED", ceased_on: null },
        ],
        accounts_overdue: true,
        confirmation_statement_overdue: false,
        has_charges: true,
        has_insolvency_history: null,
        has_been_liquidated: null,
      },
    })
  })

  test("leaves overdue duties unknown if the day of the file or of the duty is unknown", () => {
    const { record } = readRow(cellOf({ ConfStmtNextDueDate: "" }), "2026-11-01")
    expect([record.accounts_overdue, record.confirmation_statement_overdue]).toEqual([true, null])
    const unknown = readRow(cellOf({}), null).record
    expect([unknown.accounts_overdue, unknown.confirmation_statement_overdue]).toEqual([null, null])
  })

  const charges: readonly [text: string, flag: boolean | null][] = [
    ["0", false],
    ["", null],
    ["12", true],
    ["00", false],
  ]
  test.each(charges)("reads the number of charges %p", (text, flag) => {
    expect(readRow(cellOf({ "Mortgages.NumMortCharges": text }), null).record.has_charges).toBe(flag)
  })

  test("keeps an unknown status and type verbatim and reports them", () => {
    const { record, unknownStatus, unknownType } = readRow(
      cellOf({ CompanyStatus: "Trading ", CompanyCategory: "Space Company" }),
      null,
    )
    expect([record.company_status, record.company_type, unknownStatus, unknownType]).toEqual([
      "Trading",
      "Space Company",
      true,
      true,
    ])
  })

  test.each(["IP000CUS", "SP2715RS", "SP 2715 RS"])("reads the number of a registered society: %p", (written) => {
    const { record } = readRow(cellOf({ CompanyNumber: written }), null)
    expect(record.company_number).toBe(written.replaceAll(" ", ""))
  })

  const bad: readonly [why: string, cells: BulkCells][] = [
    ["CompanyNumber", { CompanyNumber: "123456" }],
    ["CompanyNumber", { CompanyNumber: "sc123456" }],
    ["CompanyNumber", { CompanyNumber: "" }],
    ["CompanyName", { CompanyName: " " }],
    ["IncorporationDate", { IncorporationDate: "2016-02-29" }],
    ["IncorporationDate", { IncorporationDate: "31/04/2016" }],
    ["IncorporationDate", { IncorporationDate: "00/04/2016" }],
    ["IncorporationDate", { IncorporationDate: "02/13/2016" }],
    ["DissolutionDate", { DissolutionDate: "1/1/2016" }],
    ["Accounts.NextDueDate", { "Accounts.NextDueDate": "soon" }],
    ["ConfStmtNextDueDate", { ConfStmtNextDueDate: "soon" }],
    ["CONDATE", { "PreviousName_1.CONDATE": "soon" }],
    ["NumMortCharges", { "Mortgages.NumMortCharges": "-1" }],
  ]
  test.each(bad)("is refused, and the finding names %s but not its content: %j", (why, cells) => {
    const read = () => readRow(cellOf(cells), null)
    expect(read).toThrow(BadRow)
    expect(read).toThrow(why)
    expect(read).not.toThrow("soon")
  })
})

test("every column of the official header is known, and no other", () => {
  expect(BULK_HEADER).toHaveLength(55)
  const known = Object.values(BULK_COLUMNS).flatMap(({ names }) => names)
  expect([...known].sort()).toEqual(BULK_HEADER.map((name) => name.trim()).sort())
})
