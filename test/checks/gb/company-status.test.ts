import { describe, expect, test } from "bun:test"
import { type CompanyStatus, companyStatus, daysSinceIncorporation } from "../../../src/checks/gb/company-status.ts"
import { DAY, HOUR } from "../../../src/core/time.ts"
import {
  bulkStatus,
  COMPANY_STATUS_DETAILS,
  COMPANY_STATUSES,
} from "../../../src/sources/publishers/uk-companies-house/vocabulary.ts"
import { gbRecord } from "../../fixtures/gb-facts.ts"

const AT = Date.UTC(2026, 10, 20, 10)

const STATUSES: Readonly<Record<(typeof COMPANY_STATUSES)[number], CompanyStatus>> = {
  active: "ACTIVE",
  open: "ACTIVE",
  registered: "ACTIVE",
  liquidation: "IN_INSOLVENCY",
  administration: "IN_INSOLVENCY",
  receivership: "IN_INSOLVENCY",
  "voluntary-arrangement": "IN_INSOLVENCY",
  "insolvency-proceedings": "IN_INSOLVENCY",
  dissolved: "NOT_ACTIVE",
  "converted-closed": "NOT_ACTIVE",
  closed: "NOT_ACTIVE",
  removed: "NOT_ACTIVE",
}
const DETAILS: Readonly<Record<(typeof COMPANY_STATUS_DETAILS)[number], CompanyStatus>> = {
  active: "ACTIVE",
  "active-proposal-to-strike-off": "STRIKE_OFF_PROPOSED",
  dissolved: "NOT_ACTIVE",
  "converted-closed": "NOT_ACTIVE",
  "transferred-from-uk": "NOT_ACTIVE",
  "petition-to-restore-dissolved": "NOT_ACTIVE",
  "transformed-to-se": "UNCLEAR",
  "converted-to-plc": "UNCLEAR",
  "converted-to-uk-societas": "UNCLEAR",
  "converted-to-ukeig": "UNCLEAR",
}

describe("every value of the register's own enumerations is decided", () => {
  test.each(COMPANY_STATUSES.map((status) => [status]))("status %s", (status) => {
    expect(companyStatus(gbRecord({ company_status: status }), AT)).toBe(STATUSES[status])
  })
  test.each(COMPANY_STATUS_DETAILS.map((detail) => [detail]))("detail %s of an active company", (detail) => {
    expect(companyStatus(gbRecord({ company_status_detail: detail }), AT)).toBe(DETAILS[detail])
  })
})

test.each([
  ["Active", "ACTIVE"],
  ["Active - Proposal to Strike off", "STRIKE_OFF_PROPOSED"],
  ["Liquidation", "IN_INSOLVENCY"],
  ["In Administration/Administrative Receiver", "IN_INSOLVENCY"],
  ["Live but Receiver Manager on at least one charge", "IN_INSOLVENCY"],
  ["Voluntary Arrangement", "IN_INSOLVENCY"],
  ["Dissolved", "NOT_ACTIVE"],
  ["Converted / Closed", "NOT_ACTIVE"],
  ["A word of next year", "NOT_ACTIVE"],
])("the monthly file's %s is %s", (text, companyState) => {
  const { status, detail } = bulkStatus(text)
  expect(companyStatus(gbRecord({ company_status: status, company_status_detail: detail }), AT)).toBe(
    companyState as CompanyStatus,
  )
})

test("an unknown status is never accepted as a good one, however similar it looks", () => {
  for (const company_status of ["ACTIVE", "active ", "constructor", ""]) {
    expect(companyStatus(gbRecord({ company_status }), AT)).toBe("NOT_ACTIVE")
  }
  expect(companyStatus(gbRecord({ company_status_detail: "constructor" }), AT)).toBe("UNCLEAR")
  expect(companyStatus(gbRecord({ company_status: null }), AT)).toBe("UNCLEAR")
})

test("an active company with a past cessation date is UNCLEAR; a future cessation date does not count yet", () => {
  expect(companyStatus(gbRecord({ date_of_cessation: "2026-11-20" }), AT)).toBe("UNCLEAR")
  expect(companyStatus(gbRecord({ date_of_cessation: "2026-11-21" }), AT)).toBe("ACTIVE")
  expect(companyStatus(gbRecord({ date_of_cessation: "2026-02-31" }), AT)).toBe("UNCLEAR")
  expect(companyStatus(gbRecord({ company_status: "dissolved", date_of_cessation: "2020-01-01" }), AT)).toBe(
    "NOT_ACTIVE",
  )
})

test("the age of a company counts whole days since its incorporation; a date that does not exist gives no age", () => {
  const midnight = Date.UTC(2026, 10, 20)
  const days = (date: string | null, at = midnight) => daysSinceIncorporation(gbRecord({ date_of_creation: date }), at)
  expect(days("2026-08-22")).toBe(90)
  expect(days("2026-08-22", midnight - HOUR)).toBe(89)
  expect(days("2026-11-21")).toBe(-1)
  expect(days("2026-02-31")).toBeNull()
  expect(days(null)).toBeNull()
  expect(days("1856-01-01")).toBe(Math.floor((midnight - Date.UTC(1856, 0, 1)) / DAY))
})
