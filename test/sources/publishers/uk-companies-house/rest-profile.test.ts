import { describe, expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readProfile } from "../../../../src/sources/publishers/uk-companies-house/rest-profile.ts"
import { NUMBER, profile } from "./rest-test-client.ts"

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

test("a profile becomes the record of the company, with null for missing values", () => {
  expect(readProfile(bytes(profile()), NUMBER)).toEqual({
    kind: "PROFILE",
    etag: "5a3c51b439584d98d420143d6a22996571646302",
    record: {
      company_number: NUMBER,
      company_name: "EXAMPLE TRADING LIMITED",
      company_status: "active",
      company_status_detail: null,
      company_type: "ltd",
      jurisdiction: "england-wales",
      date_of_creation: "2015-03-04",
      date_of_cessation: null,
      registered_office_address: {
        line_1: "1 Example Street",
        line_2: null,
        locality: "Exampleton",
        region: null,
        postal_code: "EX1 1EX",
        country: "England",
        care_of: null,
        po_box: null,
      },
      sic_codes: ["62012"],
      previous_company_names: [{ name: "OLDER NAME LTD", ceased_on: "2018-05-16" }],
      accounts_overdue: false,
      confirmation_statement_overdue: true,
      has_charges: true,
      has_insolvency_history: false,
      has_been_liquidated: null,
    },
  })
})

test("the premises come before the street", () => {
  const office = { premises: "12a", address_line_1: "High Street" }
  const reading = readProfile(bytes(profile({ registered_office_address: office })), NUMBER)
  expect(reading.kind === "PROFILE" && reading.record.registered_office_address.line_1).toBe("12a High Street")
})

test("a company with details at another authority has no status here, and that is not a break", () => {
  const partial = {
    company_status: undefined,
    partial_data_available: "full-data-available-from-financial-conduct-authority",
  }
  const reading = readProfile(bytes(profile(partial)), NUMBER)
  expect(reading.kind === "PROFILE" && reading.record.company_status).toBeNull()
})

test("a number without its leading zeros is the same company", () => {
  expect(readProfile(bytes(profile({ company_number: "6400" })), NUMBER).kind).toBe("PROFILE")
})

const lists = process.env["BIZAUTH_LISTS"]
describe.skipIf(!lists)("the register's own published examples (set BIZAUTH_LISTS)", () => {
  const example = (name: string) => readFileSync(join(lists ?? "", "uk_companies_house", name))

  test("a company in liquidation is read with that status", () => {
    const reading = readProfile(example("00006402-getCompanyProfile.json"), "00006402")
    expect(reading).toMatchObject({
      kind: "PROFILE",
      record: {
        company_name: "RENABLE PHARMA LTD",
        company_status: "liquidation",
        company_type: "ltd",
        accounts_overdue: true,
        has_insolvency_history: true,
        has_been_liquidated: null,
        sic_codes: ["72110"],
      },
    })
  })

  test("the short form of the details is refused, because it lacks members that a decision needs", () => {
    expect(readProfile(example("00006402-getCompanyDetail.json"), "00006402")).toMatchObject({
      kind: "BREAK",
      code: "ANSWER_MEMBER_INVALID",
    })
  })
})
