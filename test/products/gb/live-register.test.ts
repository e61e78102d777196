/** The live register as the UK products use it: a local server that responds in Companies House's own form. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../../src/base/log.ts"
import { formatInstant, instant } from "../../../src/core/time.ts"
import { policyInForce } from "../../../src/products/common/answer-rules.ts"
import { SourceFailure } from "../../../src/products/common/source-failure.ts"
import { gatherPayment } from "../../../src/products/gb/payment/facts.ts"
import { type GbPayment, gbPaymentRules } from "../../../src/products/gb/payment/rules.ts"
import { checkReachable, type GbSources, gbSourceStates } from "../../../src/products/gb/supplier-sources.ts"
import type { RegisterState } from "../../../src/sources/boards/register-board.ts"
import { openRestClient } from "../../../src/sources/publishers/uk-companies-house/rest-client.ts"
import { gbCompany, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { gbFacts } from "../../fixtures/gb-facts.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { clockAt } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { companiesHouse, json, NUMBER, profile } from "../../sources/publishers/uk-companies-house/rest-test-client.ts"

const test = slowTests(import.meta.path)

const NAME = "EXAMPLE TRADING LIMITED"
const NEVER: Partial<RegisterState> = { health: "UNAVAILABLE", snapshot: null, staleAt: null }
const AT = Date.parse("2026-11-21T10:00:00.000Z")
/** The confirmation statement is filed, so a policy that looks at it finds nothing. */
const IN_TIME = { confirmation_statement: { next_due: "2027-03-18", overdue: false } }

let server: ReturnType<typeof companiesHouse>
let operator: TestStore
let machine: ReturnType<typeof clockAt>
beforeEach(async () => {
  server = companiesHouse(json(profile(IN_TIME)))
  operator = await newStore()
  machine = clockAt(AT)
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await operator[Symbol.asyncDispose]()
})

function sources(registerState: Partial<RegisterState> = NEVER, requestsMax = 600): GbSources {
  const live = openRestClient({
    store: operator.store,
    machine,
    log: createLog("error", () => {}, machine.now),
    service: { baseUrl: server.url, key: "secret-api-key", timeoutMs: 5000 },
    requestsMax,
  })
  const companies = [gbCompany({ company_number: NUMBER, company_name: NAME })]
  return gbSources({ machine, live, registerState, companies })
}

async function decided(context: GbSources, invoiceName = NAME, number = NUMBER) {
  const request = gbPaymentBody(
    { company_number: number, invoice: { company_number: number, invoice_company_name: invoiceName } },
    AT,
  )
  const base = { ...gbFacts(gbPaymentRules.id), at: formatInstant(AT) }
  const facts = await gatherPayment(context, request, base, null)
  return { facts, core: gbPaymentRules.decide(request, facts, policyInForce(gbPaymentRules) as GbPayment["policy"]) }
}

test("the live response is the evidence, without the fields of the file only, and no older than the decision", async () => {
  const context = sources()
  machine.set(AT + 1500)
  const { facts, core } = await decided(context)
  expect(core).toMatchObject({ decision: "APPROVE", limitations: ["HUMAN_REVIEW_OF_LIMITED_RESULT"] })
  expect(facts.company).toMatchObject({ via: "LIVE", snapshot_id: null, source_url: `${server.url}/company/${NUMBER}` })
  expect(instant(facts.at)).toBe(AT + 1500)
  expect(instant(facts.company.retrieved_at)).toBeLessThanOrEqual(instant(facts.at))
})

describe("the state in the live register decides", () => {
  test.each<[string, Record<string, unknown>, string[]]>([
    [
      "dissolved",
      { company_status: "dissolved", date_of_cessation: "2020-02-01" },
      ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"],
    ],
    ["in administration", { company_status: "administration" }, ["COMPANY_IN_INSOLVENCY", "LIMITED_COVERAGE"]],
    [
      "about to be struck off",
      { company_status_detail: "active-proposal-to-strike-off" },
      ["COMPANY_STRIKE_OFF_PROPOSED", "LIMITED_COVERAGE"],
    ],
    ["overdue", { accounts: { overdue: true } }, ["ACCOUNTS_OVERDUE", "LIMITED_COVERAGE"]],
    ["three weeks old", { date_of_creation: "2026-11-01" }, ["RECENTLY_INCORPORATED", "LIMITED_COVERAGE"]],
    ["of a word it never used before", { company_status: "hibernating" }, ["COMPANY_NOT_ACTIVE", "LIMITED_COVERAGE"]],
  ])("about a company %s", async (_, changes, codes) => {
    server.answer(json(profile({ ...IN_TIME, ...changes })))
    expect((await decided(sources())).core.reason_codes).toEqual(codes)
  })

  test("about a company that does not exist", async () => {
    server.answer(json({ errors: [{ error: "company-profile-not-found", type: "ch:service" }] }, { status: 404 }))
    const { core } = await decided(sources())
    expect(core).toMatchObject({
      reason_codes: ["COMPANY_NOT_REGISTERED", "LIMITED_COVERAGE"],
      coverage: { supported: false },
    })
    expect(core.limitations).not.toContain("REGISTER_IS_MONTHLY_FILE")
  })

  test("about a former name on the invoice", async () => {
    expect((await decided(sources(), "Older Name Limited")).core.reason_codes).toEqual([
      "INVOICE_NAME_IS_PREVIOUS_NAME",
      "LIMITED_COVERAGE",
    ])
  })
})

describe("without a response of the live register", () => {
  const failed = async (context: GbSources) => {
    const error = await decided(context).catch((thrown: unknown) => thrown)
    if (!(error instanceof SourceFailure)) throw new Error("it decided all the same")
    return error.failed
  }

  test("nothing is decided; a malformed response is not treated as silence", async () => {
    server.answer(() => new Response("down", { status: 500 }))
    expect(await failed(sources())).toEqual([
      { sourceId: "UK_COMPANIES_HOUSE", health: "UNAVAILABLE", code: "SOURCE_UNAVAILABLE" },
    ])
    machine.set(AT + 600_000)
    server.answer(json(profile({ ...IN_TIME, company_status: 7 })))
    expect(await failed(sources({}))).toEqual([
      { sourceId: "UK_COMPANIES_HOUSE", health: "SCHEMA_BREAK", code: "SOURCE_SCHEMA_BREAK" },
    ])
  })

  test("nothing is decided when the list failed during the request either", async () => {
    const context = sources()
    const stale = gbSources({ listState: { health: "STALE" } }).list
    const list = {
      index: stale.index,
      states: (at: number) => (server.seen.requests > 0 ? stale : context.list).states(at),
    }
    expect(await failed({ ...context, list })).toEqual([
      { sourceId: "UK_SANCTIONS_LIST", health: "STALE", code: "SOURCE_STALE" },
    ])
  })

  test("an imported file may state what the company is, and that the live register did not respond", async () => {
    server.answer(() => new Response("down", { status: 500 }))
    const { core } = await decided(sources({}))
    expect(core.decision).toBe("APPROVE")
    expect(core.limitations).toEqual([
      "HUMAN_REVIEW_OF_LIMITED_RESULT",
      "REGISTER_IS_MONTHLY_FILE",
      "LIVE_REGISTER_UNAVAILABLE",
    ])
  })

  test("after a requested pause or a used-up budget no quote is given without a file", async () => {
    server.answer(() => new Response("down", { status: 500 }))
    const context = sources()
    expect(await checkReachable(context, AT, NUMBER)).toBeNull()
    await failed(context)
    expect(await checkReachable(context, AT, NUMBER)).toBeInstanceOf(SourceFailure)
    expect(await checkReachable(sources({}), AT, NUMBER)).toBeNull()
    machine.set(AT + 60_000)
    expect(await checkReachable(context, AT + 60_000, NUMBER)).toBeNull()
    expect(await checkReachable(sources(NEVER, 1), AT + 60_000, NUMBER)).toBeInstanceOf(SourceFailure)
    expect(server.seen.requests).toBe(1)
  })
})

test("the live register's state is judged without a request to it", () => {
  const sourceStates = gbSourceStates(sources(), AT, NUMBER)
  expect(sourceStates.map(({ sourceId, health }) => [sourceId, health])).toEqual([
    ["UK_COMPANIES_HOUSE", "HEALTHY"],
    ["UK_SANCTIONS_LIST", "HEALTHY"],
  ])
  expect(server.seen.requests).toBe(0)
})

const lists = process.env["BIZAUTH_LISTS"]
test.skipIf(!lists)("the register's own published example ends in REVIEW (set BIZAUTH_LISTS)", async () => {
  const published = readFileSync(join(lists ?? "", "uk_companies_house", "00006402-getCompanyProfile.json"))
  server.answer(() => new Response(published, { headers: { "content-type": "application/json" } }))
  const { core } = await decided(sources(), "Renable Pharma Ltd", "00006402")
  // A later policy may have more reasons about this company.
  const [first, ...others] = core.reason_codes
  expect([core.decision, first]).toEqual(["REVIEW", "COMPANY_IN_INSOLVENCY"])
  expect(others).toEqual(expect.arrayContaining(["ACCOUNTS_OVERDUE", "LIMITED_COVERAGE"]))
})
