import { expect, test } from "bun:test"
import { NO_REFERENCES } from "../../../src/agent-mode/planning/judge-references.ts"
import { planningCatalogue } from "../../../src/agent-mode/planning/planning-catalogue.ts"
import { type PlannedIntent, planningId, planningResult } from "../../../src/agent-mode/planning/result.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { operationTable } from "../../../src/discovery/operations.ts"
import { intentBody, START, source } from "./planning-service.ts"

const catalogue = planningCatalogue(operationTable([]), "eip155:8453")
const settings = { catalogue, baseUrl: "https://svc.example", isUkRegisterLive: true, paymentsMode: "test" } as const
const lineOf = (intent: string) => catalogue.byIntent.get(intent)?.[0] ?? null
const planned: PlannedIntent = {
  operation: "free_agent_preflight",
  body: intentBody({ intent: "CHECK_US_COMPANY" }),
  at: START,
  requestDigest: digestOf("request"),
  factsDigest: digestOf("facts"),
  line: null,
  nearest: [],
  sources: [],
  references: NO_REFERENCES,
  continuesPlanId: null,
  outcome: "UNSUPPORTED",
  reasonCodes: [],
  missing: [],
}
const resultOf = (changes: Partial<PlannedIntent>) => planningResult({ ...planned, ...changes }, null, settings)

test("a plan ends after fifteen minutes, at the first end of a source, and never before it begins", () => {
  const ends = (...staleAt: (number | null)[]) =>
    resultOf({ sources: staleAt.map((at, n) => source({ sourceId: `S${n}`, staleAt: at })) }).valid_until
  expect(ends()).toBe(formatInstant(START + 15 * MINUTE))
  expect(ends(null, START + 20 * MINUTE)).toBe(formatInstant(START + 15 * MINUTE))
  expect(ends(START + 9 * MINUTE, null, START + 7 * MINUTE)).toBe(formatInstant(START + 7 * MINUTE))
  expect(ends(START - MINUTE)).toBe(formatInstant(START))
})

test("a paid operation names its price and its free routes; no operation names none", () => {
  const none = resultOf({})
  expect([none.product_id, none.maximum_price, none.alternatives]).toEqual([null, null, []])
  expect(none.coverage).toEqual({ jurisdiction: null, coverage: null, supported: false, limitations: [] })
  const line = lineOf("AUTHORIZE_GB_BUSINESS_PAYMENT")
  const paid = resultOf({ line, outcome: "SUPPORTED" })
  expect(paid.maximum_price).toEqual({ amount: "0.15", amount_atomic: "150000", asset: "USDC", network: "eip155:8453" })
  expect(paid.alternatives.map(({ kind }) => kind)).toContain("FREE_CHECK")
  expect(paid.coverage).toMatchObject({ jurisdiction: "GB", supported: true, limitations: ["LIVE_REGISTER_NOT_ASKED"] })
  const reusable = [
    { digest: digestOf("a"), product_id: null, effect: "ACCEPTED_AS_EVIDENCE", valid_until: null },
  ] as const
  const reuse = resultOf({ line, references: { reusable, rejected: [] } })
  expect(reuse.alternatives.map(({ kind }) => kind)).toEqual([...paid.alternatives.map(({ kind }) => kind), "EVIDENCE"])
})

test("the rows that come nearest are named once each, sixteen at most", () => {
  const all = [...catalogue.byIntent.values()].flat()
  expect(all.length).toBeGreaterThan(16)
  const named = resultOf({ nearest: [...all.slice(0, 3), ...all] }).alternatives.map(({ operation_id }) => operation_id)
  expect([named.length, new Set(named).size]).toEqual([16, 16])
})

test("a plan says what it did not look at", () => {
  const always = ["NO_SOURCE_WAS_ASKED", "STATE_MAY_CHANGE_BEFORE_THE_QUOTE"]
  expect(resultOf({}).limitations).toEqual(always)
  expect(resultOf({ body: { ...planned.body, budget: null } }).limitations).toEqual([...always, "BUDGET_NOT_STATED"])
  const line = lineOf("RELEASE_PAYMENT_TO_SUPPLIER")
  expect(resultOf({ line }).limitations).toEqual([...always, "AUTHORITY_NOT_EVALUATED"])
})

test("an id differs by operation, request and facts, and by nothing else", () => {
  const ids = [
    planned,
    { ...planned, operation: "get_exact_agent_quote" } as const,
    { ...planned, requestDigest: digestOf("other") },
    { ...planned, factsDigest: digestOf("other") },
  ].map((one) => planningId("pln", one))
  expect(new Set(ids).size).toBe(4)
  const later: PlannedIntent = { ...planned, at: 0, reasonCodes: ["X"] }
  expect(planningId("pln", later)).toBe(ids[0] ?? "")
  expect(planningId("cnt", planned)).toBe((ids[0] ?? "").replace("pln_", "cnt_"))
})
