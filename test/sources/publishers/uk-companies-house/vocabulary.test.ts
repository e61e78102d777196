import { describe, expect, test } from "bun:test"
import { normalizeCompanyNumber } from "../../../../src/sources/publishers/uk-companies-house/company-record.ts"
import {
  bulkCompanyType,
  bulkStatus,
  COMPANY_STATUS_DETAILS,
  COMPANY_STATUSES,
  COMPANY_TYPES,
  jurisdictionOfNumber,
} from "../../../../src/sources/publishers/uk-companies-house/vocabulary.ts"

/** Every status text that was ever seen in the monthly file. */
const STATUS_TEXTS = [
  ["Active", "active", null],
  ["Active - Proposal to Strike off", "active", "active-proposal-to-strike-off"],
  ["Liquidation", "liquidation", null],
  ["In Administration", "administration", null],
  ["Live but Receiver Manager on at least one charge", "receivership", null],
  ["Voluntary Arrangement", "voluntary-arrangement", null],
  ["ADMINISTRATIVE RECEIVER", "receivership", null],
  ["In Administration/Administrative Receiver", "insolvency-proceedings", null],
  ["RECEIVERSHIP", "receivership", null],
  ["ADMINISTRATION ORDER", "administration", null],
  ["In Administration/Receiver Manager", "insolvency-proceedings", null],
  ["RECEIVER MANAGER / ADMINISTRATIVE RECEIVER", "receivership", null],
  ["VOLUNTARY ARRANGEMENT / RECEIVER MANAGER", "insolvency-proceedings", null],
  ["VOLUNTARY ARRANGEMENT / ADMINISTRATIVE RECEIVER", "insolvency-proceedings", null],
  ["VOLUNTARY ARRANGEMENT / RECEIVERSHIP", "insolvency-proceedings", null],
] as const

describe("a status text of the monthly file", () => {
  for (const [text, status, detail] of STATUS_TEXTS) {
    test(`"${text}" is ${status}`, () => {
      expect(bulkStatus(text)).toEqual({ status, detail, known: true })
      expect(COMPANY_STATUSES).toContain(status)
      if (detail !== null) expect(COMPANY_STATUS_DETAILS).toContain(detail)
    })
  }

  test("upper or lower case and surrounding spaces make no difference", () => {
    expect(bulkStatus(" ACTIVE ").status).toBe("active")
    expect(bulkStatus("Active - Proposal to Strike Off").detail).toBe("active-proposal-to-strike-off")
  })

  for (const text of ["Active (suspended)", "Bankrupt", "active-ish"]) {
    test(`"${text}" is kept verbatim and reported, never read as active`, () => {
      expect(bulkStatus(text)).toEqual({ status: text, detail: null, known: false })
    })
  }

  test("an empty text gives no status and is reported", () => {
    expect(bulkStatus("  ")).toEqual({ status: null, detail: null, known: false })
  })
})

describe("a company type of the monthly file", () => {
  for (const [text, type] of [
    ["Private Limited Company", "ltd"],
    ["Public Limited Company", "plc"],
    ["Limited Liability Partnership", "llp"],
    ["PRI/LTD BY GUAR/NSC (Private, limited by guarantee, no share capital)", "private-limited-guarant-nsc"],
    [
      "PRI/LBG/NSC (Private, Limited by guarantee, no share capital, use of 'Limited' exemption)",
      "private-limited-guarant-nsc-limited-exemption",
    ],
    [
      "PRIV LTD SECT. 30 (Private limited company, section 30 of the Companies Act)",
      "private-limited-shares-section-30-exemption",
    ],
    ["Investment Company with Variable Capital(Umbrella)", "icvc-umbrella"],
    ["Overseas Entity", "registered-overseas-entity"],
  ] as const) {
    test(`"${text}" is ${type}`, () => {
      expect(bulkCompanyType(text)).toEqual({ value: type, known: true })
      expect(COMPANY_TYPES).toContain(type)
    })
  }

  test("an unknown type is kept verbatim and reported", () => {
    expect(bulkCompanyType("Lunar Company")).toEqual({ value: "Lunar Company", known: false })
  })
})

describe("a company number", () => {
  for (const [given, number] of [
    ["00006400", "00006400"],
    ["6400", "00006400"],
    [" sc123456 ", "SC123456"],
    ["SC1234", "SC001234"],
    ["NI000001", "NI000001"],
    ["R0000123", "R0000123"],
    ["IP12345R", "IP12345R"],
    ["IP000CUS", "IP000CUS"],
    ["SP2715RS", "SP2715RS"],
    ["SP 2715 RS", "SP2715RS"],
    ["ip 28746r", "IP28746R"],
    ["RS7R", "RS00007R"],
    ["SC 12345", "SC012345"],
    ["1234A", "0001234A"],
    ["12345ABC", null],
    ["IP00CUST", null],
    ["", null],
    ["123456789", null],
    ["../00006400", null],
    ["ABCDEFGH", null],
  ] as const) {
    test(`"${given}" is ${number ?? "none"}`, () => expect(normalizeCompanyNumber(given)).toBe(number))
  }

  test("the prefix gives the jurisdiction if it has only one", () => {
    expect(jurisdictionOfNumber("SC123456")).toBe("scotland")
    expect(jurisdictionOfNumber("NI123456")).toBe("northern-ireland")
    expect(jurisdictionOfNumber("00006400")).toBeNull()
  })
})
