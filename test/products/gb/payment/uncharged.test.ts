/** A UK payment whose sources fail: before the quote, and after the payment was signed. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentAnswer, type GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import type { GbSources } from "../../../../src/products/gb/supplier-sources.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor } from "../../../fixtures/answers.ts"
import type { Chain } from "../../../fixtures/chain.ts"
import { GB_PAYMENT_PATH, gbHeaders, gbPaymentBody, gbSources } from "../../../fixtures/gb.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { openTestServer, type TestServer } from "../../../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: AnswerTestServer
let chain: Chain
let server: TestServer
const open = (gb: GbSources) => openTestServer(seller.database, chain, { gb })

beforeAll(async () => {
  seller = await answerTestServer()
  ;({ chain, server } = seller)
})
afterAll(() => seller[Symbol.asyncDispose]())

const purchase = (body: GbPaymentRequest) => ({ path: GB_PAYMENT_PATH, body, headers: gbHeaders(body) })
const transfers = () => seller.transfers()
const rows = () => server.database.count("decision_request")

describe("a required source that fails gives 200 without a quote, a charge or a row:", () => {
  const unreachable: GbSources["live"] = {
    lookUp: async () => ({
      outcome: "UNKNOWN",
      health: "UNAVAILABLE",
      reasonCodes: ["SOURCE_UNAVAILABLE", "TIMED_OUT"],
      retryAt: null,
      evidence: null,
    }),
    state: async () => ({ requests: 0, requestsMax: 600, paused: null }),
  }
  const never = { health: "UNAVAILABLE", snapshot: null, staleAt: null } as const
  test.each<[string, GbSources, string, string, Record<string, string>]>([
    [
      "a stale list",
      gbSources({ listState: { health: "STALE" } }),
      "RETRY",
      "SOURCE_STALE",
      { UK_SANCTIONS_LIST: "STALE", UK_COMPANIES_HOUSE: "HEALTHY" },
    ],
    [
      "a list that will be stale in minutes",
      gbSources({ listState: { staleAt: formatInstant(Date.now() + 5 * MINUTE) } }),
      "RETRY",
      "SOURCE_STALE",
      { UK_SANCTIONS_LIST: "STALE" },
    ],
    [
      "a list that broke its form",
      gbSources({ listState: { health: "SCHEMA_BREAK" } }),
      "NO_DECISION",
      "SOURCE_SCHEMA_BREAK",
      { UK_SANCTIONS_LIST: "SCHEMA_BREAK" },
    ],
    [
      "a list that is switched off",
      gbSources({ listState: { health: "DISABLED" } }),
      "NO_DECISION",
      "SOURCE_DISABLED",
      { UK_SANCTIONS_LIST: "DISABLED" },
    ],
    ["a list never imported", gbSources({ listState: never }), "NO_DECISION", "SOURCE_NOT_SET_UP", {}],
    [
      "a list not yet imported, where publishers are asked",
      gbSources({ listState: never, fetching: true }),
      "RETRY",
      "SOURCE_UNAVAILABLE",
      { UK_SANCTIONS_LIST: "UNAVAILABLE" },
    ],
    [
      "a register never imported, and no key",
      gbSources({ registerState: never }),
      "NO_DECISION",
      "SOURCE_NOT_SET_UP",
      { UK_COMPANIES_HOUSE: "UNAVAILABLE", UK_SANCTIONS_LIST: "HEALTHY" },
    ],
    [
      "a register of too old a month, and no key",
      gbSources({ registerState: { health: "STALE" } }),
      "RETRY",
      "SOURCE_STALE",
      { UK_COMPANIES_HOUSE: "STALE" },
    ],
    [
      "a register that is switched off, key or not",
      gbSources({ registerState: { health: "DISABLED" }, live: unreachable }),
      "NO_DECISION",
      "SOURCE_DISABLED",
      { UK_COMPANIES_HOUSE: "DISABLED" },
    ],
    [
      "a live register that asked to be left alone, and no file",
      gbSources({
        registerState: never,
        live: {
          ...unreachable,
          state: async () => ({
            requests: 9,
            requestsMax: 600,
            paused: { until: "2026-11-22T00:00:00Z", reason: "KEY" },
          }),
        },
      }),
      "RETRY",
      "SOURCE_UNAVAILABLE",
      { UK_COMPANIES_HOUSE: "UNAVAILABLE" },
    ],
  ])("%s", async (_, gb, decision, code, health) => {
    const sick = await open(gb)
    const body = gbPaymentBody()
    const payment = await signedFor(server, purchase(body))
    const before = [await transfers(), await rows()]
    for (const paid of [{}, payment]) {
      const answer = await sick.post(body, { ...gbHeaders(body), ...paid }, GB_PAYMENT_PATH)
      expect([answer.status, answer.headers.get("payment-required")]).toEqual([200, null])
      const text = await answer.text()
      const told = JSON.parse(text)
      expect([...Value.Errors(GbPaymentAnswer, told)]).toEqual([])
      expect(text).toBe(canonicalize(told))
      expect(told).toMatchObject({
        decision,
        authorization: "HOLD",
        machine_action: decision === "RETRY" ? "RETRY_LATER_WITHOUT_PAYMENT" : "STOP_AND_SEEK_ALTERNATIVE",
        reason_codes: [code],
        source_health: health,
        execution_id: "",
        delivery_id: "",
        economic_activity: { charged: false, quote_created: false, settlement_created: false },
        payment: { payment_status: "NOT_CHARGED", charged_price_usd: 0, persistence_status: "NOT_PERSISTED" },
        result: { gates: { supplier: "HOLD", invoice: "HOLD", payee: "HOLD" }, authorization_token: "" },
      })
    }
    expect([await transfers(), await rows()]).toEqual(before)
    await sick.close()
    expect((await buyAnswer(server, purchase(body), payment)).status).toBe(200)
  })

  test("a live register that does not respond at decision time, after a quote; the same payment buys later", async () => {
    let requests = 0
    const live: GbSources["live"] = {
      ...unreachable,
      lookUp: async (number, at) => {
        requests++
        return unreachable.lookUp(number, at)
      },
    }
    const sick = await open(gbSources({ live, registerState: { health: "STALE" } }))
    const body = gbPaymentBody()
    const payment = await signedFor(sick, purchase(body))
    expect(requests).toBe(0)
    const before = await transfers()
    const answer = await sick.post(body, { ...gbHeaders(body), ...payment }, GB_PAYMENT_PATH)
    expect([answer.status, requests]).toEqual([200, 1])
    expect(await answer.json()).toMatchObject({
      decision: "RETRY",
      reason_codes: ["SOURCE_UNAVAILABLE"],
      payment: { payment_status: "NOT_CHARGED" },
    })
    expect(await transfers()).toBe(before)
    await sick.close()
    const bought = await buyAnswer(server, purchase(body), payment)
    expect([bought.status, bought.answer.decision]).toEqual([200, "APPROVE"])
    expect(await transfers()).toBe(before + 1)
  })
})
