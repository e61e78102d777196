import { describe, expect, test } from "bun:test"
import type { CompanyRecord } from "../../../../src/sources/publishers/uk-companies-house/company-record.ts"
import {
  type CompanySources,
  lookUpCompany,
} from "../../../../src/sources/publishers/uk-companies-house/look-up-company.ts"
import type { LiveAnswer } from "../../../../src/sources/publishers/uk-companies-house/rest-client.ts"
import { registerBoard } from "../../../fixtures/register-board.ts"
import { NUMBER, START } from "./rest-test-client.ts"

const record = { company_number: NUMBER, company_name: "FILED LIMITED" } as CompanyRecord
const evidence = {
  sourceUrl: `https://api.example/company/${NUMBER}`,
  sourceVersion: "etag:1",
  retrievedAt: "2026-11-21T10:00:00.000Z",
  staleAt: "2026-11-28T10:00:00.000Z",
  parserVersion: "p/1",
  rawSha256: "sha256:0",
}

const live = (answer: LiveAnswer): CompanySources["live"] => ({ lookUp: async () => answer })
const found: LiveAnswer = {
  outcome: "FOUND",
  record: { ...record, company_name: "LIVE LIMITED" },
  freshness: "FRESH",
  reasonCodes: [],
  evidence,
}
const silent: LiveAnswer = {
  outcome: "UNKNOWN",
  health: "UNAVAILABLE",
  reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"],
  retryAt: "2026-11-21T10:00:02.000Z",
  evidence: null,
}
const broken: LiveAnswer = { ...silent, health: "SCHEMA_BREAK", reasonCodes: ["SOURCE_SCHEMA_BREAK"] }
const absent: LiveAnswer = { outcome: "NOT_FOUND", record: null, freshness: "FRESH", reasonCodes: [], evidence }

const empty = registerBoard(["UK_COMPANIES_HOUSE"], [])
const imported: CompanySources["registers"] = {
  states: empty.states,
  find: (_id, _scheme, number) =>
    number === NUMBER ? { key: number, otherKeys: [], name: record.company_name, record } : null,
}

const ask = (sources: Partial<CompanySources>, number = NUMBER) =>
  lookUpCompany({ live: null, registers: null, ...sources }, number, START)

describe("with a key", () => {
  test("the live register answers, and the result says so", async () => {
    expect(await ask({ live: live(found), registers: imported })).toMatchObject({
      outcome: "FOUND",
      via: "LIVE",
      health: "HEALTHY",
      record: { company_name: "LIVE LIMITED" },
      evidence: { sourceTimestamp: evidence.retrievedAt, snapshotId: null },
    })
  })

  test("only the live register can prove that a company does not exist", async () => {
    expect(await ask({ live: live(absent), registers: imported })).toMatchObject({ outcome: "NOT_FOUND", via: "LIVE" })
  })

  test("if it does not answer, the monthly file gives the company, with both reasons", async () => {
    expect(await ask({ live: live(silent), registers: imported })).toMatchObject({
      outcome: "FOUND",
      via: "BULK",
      record: { company_name: "FILED LIMITED" },
      reasonCodes: ["LIVE_REGISTER_UNAVAILABLE", "SOURCE_UNAVAILABLE", "TIMED_OUT"],
      evidence: { snapshotId: "snp_uk_companies_house" },
    })
  })

  test("if it does not answer, the monthly file cannot prove that a company does not exist", async () => {
    expect(await ask({ live: live(silent), registers: empty })).toMatchObject({
      outcome: "UNKNOWN",
      via: "LIVE",
      health: "UNAVAILABLE",
      retryAt: "2026-11-21T10:00:02.000Z",
    })
  })

  test("an answer in another form is never replaced by an older one", async () => {
    expect(await ask({ live: live(broken), registers: imported })).toMatchObject({
      outcome: "UNKNOWN",
      via: "LIVE",
      health: "SCHEMA_BREAK",
    })
  })
})

describe("without a key", () => {
  test("the monthly file answers, and a missing company is reported as missing from that file", async () => {
    expect(await ask({ registers: imported })).toMatchObject({ outcome: "FOUND", via: "BULK" })
    expect(await ask({ registers: imported }, "00006401")).toMatchObject({
      outcome: "NOT_FOUND",
      via: "BULK",
      reasonCodes: ["NOT_IN_MONTHLY_FILE"],
    })
  })

  test("a file that is too old or broken gives no answer", async () => {
    for (const health of ["STALE", "SCHEMA_BREAK", "DISABLED"] as const) {
      const states = registerBoard(["UK_COMPANIES_HOUSE"], [], { health, reasonCodes: [`SOURCE_${health}`] }).states
      expect(await ask({ registers: { ...imported, states } })).toMatchObject({
        outcome: "UNKNOWN",
        via: "BULK",
        health,
        reasonCodes: [`SOURCE_${health}`],
      })
    }
  })

  test("without a file nothing is configured", async () => {
    for (const registers of [null, registerBoard([], [])]) {
      expect(await ask({ registers })).toMatchObject({ outcome: "UNKNOWN", via: null, health: "UNAVAILABLE" })
    }
  })
})

test("a text that is not a company number throws and never becomes part of an address", () => {
  expect(ask({ live: live(found) }, "../x")).rejects.toThrow("not a company number")
})
