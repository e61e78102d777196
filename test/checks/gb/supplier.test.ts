import { expect, test } from "bun:test"
import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { supplierGate } from "../../../src/checks/gb/supplier.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { GB_NUMBER } from "../../fixtures/gb.ts"
import { companyFact, gbFacts, gbRecord } from "../../fixtures/gb-facts.ts"

const THRESHOLDS = {
  required_sources: ["UK_SANCTIONS_LIST"],
  sanctions_review_score: "0.80",
  recently_incorporated_days: 90,
  monthly_file_absence: "COMPANY_NOT_IN_MONTHLY_FILE",
} as const
const look = (changes: Partial<GbFacts>, supplierNumber: string | null = GB_NUMBER) =>
  supplierGate({ companyNumber: GB_NUMBER, supplierNumber }, gbFacts("p", changes), THRESHOLDS)
const record = (changes: Parameters<typeof gbRecord>[0]) => ({ company: companyFact({ record: gbRecord(changes) }) })

test("a value that the register does not state is a limitation, never a pass and never a finding", () => {
  expect(look(record({ accounts_overdue: null, date_of_creation: null }))).toMatchObject({
    codes: [],
    limitations: ["ACCOUNTS_NOT_KNOWN", "INCORPORATION_DATE_NOT_KNOWN"],
  })
})

test("a company of 90 days is old enough, one of 89 days is not", () => {
  expect(look(record({ date_of_creation: "2026-08-22" })).codes).toEqual([])
  expect(look(record({ date_of_creation: "2026-08-23" })).codes).toEqual(["RECENTLY_INCORPORATED"])
})

test("a number missing only from the monthly file is not called unregistered, except by the first policies", () => {
  const bulk = { outcome: "NOT_FOUND", via: "BULK", record: null } as const
  const limitations = ["REGISTER_IS_MONTHLY_FILE", "DISSOLVED_AND_NEWEST_COMPANIES_NOT_IN_MONTHLY_FILE"]
  expect(look({ company: companyFact(bulk) })).toMatchObject({ codes: ["COMPANY_NOT_IN_MONTHLY_FILE"], limitations })
  const { monthly_file_absence: _, ...first } = THRESHOLDS
  const request = { companyNumber: GB_NUMBER, supplierNumber: GB_NUMBER }
  const facts = gbFacts("p", { company: companyFact(bulk) })
  expect(supplierGate(request, facts, first)).toMatchObject({ codes: ["COMPANY_NOT_REGISTERED"], limitations })
  expect(look({ company: companyFact({ ...bulk, via: "LIVE" }) })).toMatchObject({
    codes: ["COMPANY_NOT_REGISTERED"],
    limitations: [],
  })
})

test("an older answer of the register, or the monthly file in its place, is a limitation", () => {
  const company = companyFact({ via: "BULK", freshness: "AGING", reason_codes: ["LIVE_REGISTER_UNAVAILABLE"] })
  expect(look({ company })).toMatchObject({
    codes: [],
    limitations: ["REGISTER_IS_MONTHLY_FILE", "LIVE_REGISTER_UNAVAILABLE", "SOURCE_AGING"],
  })
})

test("a register that is stale at the time of the decision is insufficient evidence", () => {
  expect(look({ company: companyFact({ stale_at: formatInstant(DECIDED_AT) }) }).codes).toEqual([
    "EVIDENCE_INSUFFICIENT",
  ])
})

test("a supplier number is compared only if the request repeats it", () => {
  expect(look({}, "00000001").codes).toEqual(["SUPPLIER_COMPANY_MISMATCH"])
  expect(look({}, null).codes).toEqual([])
})
