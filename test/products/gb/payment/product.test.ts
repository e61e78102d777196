/** The UK business payment from quote to token, on a real chain and a real database file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentAnswer, type GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import type { GbSources } from "../../../../src/products/gb/supplier-sources.ts"
import { findToken } from "../../../../src/store/authorization-tokens.ts"
import { buyAnswer, signedFor } from "../../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../../fixtures/chain.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import {
  binding,
  challenge,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  GB_PAYMENT_PATH,
  gbCompany,
  gbHeaders,
  gbPaymentBody,
  gbSources,
  ukListed,
} from "../../../fixtures/gb.ts"
import { type House, openHouse } from "../../../fixtures/selling-house.ts"

setDefaultTimeout(30_000)

const LISTED = "00000017"
let directory: ReturnType<typeof freshDirectory>
let chain: Chain
let house: House
const open = (gb: GbSources) => openHouse(`${directory.path}/bizauth.db`, chain, { gb })

beforeAll(async () => {
  directory = freshDirectory()
  chain = await startChain()
  await chain.mint(DEV_ACCOUNTS.payer.address, 100_000_000n)
  const name = "OBSIDIAN HERON SHIPBROKERS LIMITED"
  house = await open(
    gbSources({
      companies: [gbCompany(), gbCompany({ company_number: LISTED, company_name: name })],
      listed: [ukListed(name)],
    }),
  )
})
afterAll(async () => {
  await house.close()
  await chain.stop()
  directory[Symbol.dispose]()
})

const purchase = (body: GbPaymentRequest) => ({ path: GB_PAYMENT_PATH, body, headers: gbHeaders(body) })
const transfers = async () => (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
const rows = () => (house.database.query("SELECT count(*) AS n FROM decision_request").get() as { n: number }).n

describe("an authorized payment", () => {
  test("is charged once, names its gates and sources, and carries a token that only its buyer is told", async () => {
    const before = await transfers()
    const body = gbPaymentBody()
    const bought = await buyAnswer(house, purchase(body))
    expect(bought.status).toBe(200)
    expect([...Value.Errors(GbPaymentAnswer, bought.answer)]).toEqual([])
    expect(bought.answer).toMatchObject({
      product_or_solution: "gb.business.payment.authorize.v1",
      decision: "APPROVE",
      authorization: "ALLOW",
      machine_action: "CONTINUE",
      policy: { id: "GB_BUSINESS_PAYMENT_V1", version: "1.0.0" },
      reason_codes: ["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"],
      conditions: [],
      required_information: [],
      coverage: { country: "GB", jurisdiction: "UNITED_KINGDOM", supported: true },
      source_health: {
        UK_COMPANIES_HOUSE: "HEALTHY",
        UK_SANCTIONS_LIST: "HEALTHY",
        INDEPENDENT_PAYEE_BINDING_EVIDENCE: "HEALTHY",
        CALLER_INVOICE_FIELDS: "HEALTHY",
      },
      payment: { payment_status: "SETTLED", charged_price_usd: 0.15, persistence_status: "PERSISTED" },
      result: {
        company_number: GB_NUMBER,
        payee_fingerprint: GB_PAYEE,
        gates: { supplier: "ALLOW", invoice: "ALLOW", payee: "ALLOW" },
        amount: "1250.00",
        currency: "GBP",
        single_use: true,
      },
    })
    const paid = await chain.transfersTo(DEV_ACCOUNTS.payTo.address)
    expect([paid.length, paid.at(-1)?.value]).toEqual([before + 1, 150_000n])

    const token = String(bought.answer.result["authorization_token"])
    expect(token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    const kept = await house.store.read(() => findToken("GB", tokenHash(token)))
    expect(kept).toMatchObject({ kind: "PAYMENT", state: "ISSUED", expiresAt: bought.answer.valid_until })
    expect(JSON.parse(kept?.bindingJson ?? "")).toEqual({
      company_number: GB_NUMBER,
      payee_fingerprint: GB_PAYEE,
      amount: "1250.00",
      currency: "GBP",
      wallet: DEV_ACCOUNTS.payer.address.toLowerCase(),
    })

    const again = await house.get(`/v1/gb/executions/${bought.answer.execution_id}`)
    expect(await again.json()).toMatchObject({
      replayed: true,
      decision: "APPROVE",
      limitations: expect.arrayContaining(["TOKEN_NOT_REPLAYED"]),
      result: { authorization_token: "" },
    })
  })

  test("ends when the binding does, and at the latest in an hour", async () => {
    const end = formatInstant(Date.now() + 20 * MINUTE)
    const short = await buyAnswer(
      house,
      purchase(
        gbPaymentBody({
          payee: {
            company_number: GB_NUMBER,
            payee_fingerprint: GB_PAYEE,
            binding_evidence: binding({ valid_until: end }),
          },
        }),
      ),
    )
    expect(short.answer.valid_until).toBe(end)
    const { answer } = await buyAnswer(house, purchase(gbPaymentBody()))
    expect(Date.parse(answer.valid_until) - Date.parse(answer.valid_as_of)).toBe(HOUR)
  })
})

describe("what is no permission is delivered and charged, without a token", () => {
  test.each([
    [
      "a listed company",
      gbPaymentBody({
        company_number: LISTED,
        invoice: { company_number: LISTED, invoice_company_name: "Obsidian Heron Shipbrokers Ltd" },
      }),
      {
        decision: "BLOCK",
        authorization: "DENY",
        machine_action: "STOP",
        reason_codes: ["SANCTIONS_MATCH"],
        result: { gates: { supplier: "DENY", invoice: "ALLOW", payee: "ALLOW" } },
      },
    ],
    [
      "an unknown company",
      gbPaymentBody({ company_number: "00000099" }),
      {
        decision: "BLOCK",
        reason_codes: ["COMPANY_NOT_REGISTERED"],
        required_information: ["/company_number"],
        coverage: { supported: false },
        result: { gates: { supplier: "DENY", invoice: "HOLD", payee: "ALLOW" } },
      },
    ],
    [
      "another name on the invoice",
      gbPaymentBody({ invoice: { company_number: GB_NUMBER, invoice_company_name: "Quill & Marrow Ltd" } }),
      {
        decision: "REVIEW",
        authorization: "HOLD",
        machine_action: "HOLD_FOR_HUMAN_REVIEW",
        reason_codes: ["INVOICE_NAME_MISMATCH"],
        required_information: ["/invoice/invoice_company_name"],
        result: { gates: { supplier: "ALLOW", invoice: "HOLD", payee: "ALLOW" } },
      },
    ],
  ])("%s", async (_, body, expected) => {
    const before = await transfers()
    const { answer } = await buyAnswer(house, purchase(body))
    expect([...Value.Errors(GbPaymentAnswer, answer)]).toEqual([])
    expect(answer).toMatchObject(expected)
    expect(answer.result["authorization_token"]).toBe("")
    expect(answer.limitations).toContain("NO_TOKEN_ISSUED")
    expect(await transfers()).toBe(before + 1)
  })

  test("conditions are named and the token is issued on them", async () => {
    const evidence = binding({ type: "SUPPLIER_STATEMENT" })
    const payee = { company_number: GB_NUMBER, payee_fingerprint: GB_PAYEE, binding_evidence: evidence }
    const { answer } = await buyAnswer(house, purchase(gbPaymentBody({ payee })))
    expect(answer).toMatchObject({
      decision: "CONDITIONAL",
      authorization: "ALLOW_WITH_CONDITIONS",
      machine_action: "CONTINUE_WITH_DECLARED_CONDITIONS",
      reason_codes: ["PAYEE_BINDING_WEAK"],
      conditions: ["VERIFY_PAYEE_INDEPENDENTLY"],
      result: { gates: { payee: "ALLOW_WITH_CONDITIONS" } },
    })
    expect(answer.result["authorization_token"]).toMatch(/^svc_at_/)
  })
})

describe("refused before anything is quoted", () => {
  const fair = gbPaymentBody()
  const change = {
    current_payee_fingerprint: GB_OTHER_PAYEE,
    proposed_payee_fingerprint: GB_PAYEE,
    prior_authorization_reference: "exe_AAAAAAAAAAAAAAAAAAAAAA",
    challenge: challenge(),
  }
  const soon = formatInstant(Date.now() + 5 * MINUTE)
  const bound = (evidence: GbPaymentRequest["payee"]["binding_evidence"]) => ({
    ...fair,
    payee: { ...fair.payee, binding_evidence: evidence },
  })
  test.each<[string, object, string, string]>([
    ["amount zero", { ...fair, amount: "0.00" }, "AMOUNT_ZERO", "/amount"],
    ["no currency of ISO 4217", { ...fair, currency: "ABC" }, "CURRENCY_UNKNOWN", "/currency"],
    [
      "a day that does not exist",
      bound(binding({ verified_at: "2026-02-30T00:00:00Z" })),
      "SCHEMA_INVALID",
      "/payee/binding_evidence/verified_at",
    ],
    [
      "evidence that ends while the answer would be on its way",
      bound(binding({ valid_until: soon })),
      "EVIDENCE_ENDS_TOO_SOON",
      "/payee/binding_evidence/valid_until",
    ],
    [
      "a name in a script without a table",
      { ...fair, invoice: { ...fair.invoice, invoice_company_name: "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ" } },
      "NAME_SCRIPT_UNSUPPORTED",
      "/invoice/invoice_company_name",
    ],
    [
      "a change to another payee than the one paid",
      { ...fair, vendor_change: { ...change, proposed_payee_fingerprint: `sha256:${"a".repeat(64)}` } },
      "PROPOSED_PAYEE_DIFFERS",
      "/vendor_change/proposed_payee_fingerprint",
    ],
    [
      "a change that changes nothing",
      { ...fair, vendor_change: { ...change, current_payee_fingerprint: GB_PAYEE } },
      "NO_CHANGE_PROPOSED",
      "/vendor_change/proposed_payee_fingerprint",
    ],
    [
      "a challenge that ends too soon",
      { ...fair, vendor_change: { ...change, challenge: challenge({ valid_until: soon }) } },
      "EVIDENCE_ENDS_TOO_SOON",
      "/vendor_change/challenge/valid_until",
    ],
    [
      "another policy",
      { ...fair, supplier: { ...fair.supplier, policy_id: "GB_VENDOR_CHANGE_V1" } },
      "SCHEMA_INVALID",
      "/supplier/policy_id",
    ],
    ["a short company number", { ...fair, company_number: "1234567" }, "SCHEMA_INVALID", "/company_number"],
    ["a member the interface does not have", { ...fair, schema_version: "1.0.0" }, "SCHEMA_INVALID", "/schema_version"],
  ])("%s", async (_, body, code, pointer) => {
    const before = rows()
    const refused = await house.post(body, gbHeaders(body as GbPaymentRequest), GB_PAYMENT_PATH)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({ code, errors: [{ pointer }] })
    expect(refused.headers.get("payment-required")).toBeNull()
    expect(rows()).toBe(before)
  })

  test("headers that do not repeat the body are 400", async () => {
    const body = gbPaymentBody()
    const { "idempotency-key": key, "x-cdo-request-body-digest": digest } = gbHeaders(body)
    for (const headers of [{}, { "idempotency-key": key ?? "" }, { "x-cdo-request-body-digest": digest ?? "" }]) {
      expect((await house.post(body, headers as Record<string, string>, GB_PAYMENT_PATH)).status).toBe(400)
    }
  })
})

describe("a required source that fails: answered 200, without a quote, a charge or a row", () => {
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
    const payment = await signedFor(house, purchase(body))
    const before = [await transfers(), rows()]
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
    expect([await transfers(), rows()]).toEqual(before)
    await sick.close()
    expect((await buyAnswer(house, purchase(body), payment)).status).toBe(200)
  })

  test("a live register that is silent only when it is asked: quoted, then uncharged, and the same payment buys later", async () => {
    let asked = 0
    const live: GbSources["live"] = {
      ...unreachable,
      lookUp: async (number, at) => {
        asked++
        return unreachable.lookUp(number, at)
      },
    }
    const sick = await open(gbSources({ live, registerState: { health: "STALE" } }))
    const body = gbPaymentBody()
    const payment = await signedFor(sick, purchase(body))
    expect(asked).toBe(0)
    const before = await transfers()
    const answer = await sick.post(body, { ...gbHeaders(body), ...payment }, GB_PAYMENT_PATH)
    expect([answer.status, asked]).toEqual([200, 1])
    expect(await answer.json()).toMatchObject({
      decision: "RETRY",
      reason_codes: ["SOURCE_UNAVAILABLE"],
      payment: { payment_status: "NOT_CHARGED" },
    })
    expect(await transfers()).toBe(before)
    await sick.close()
    const bought = await buyAnswer(house, purchase(body), payment)
    expect([bought.status, bought.answer.decision]).toEqual([200, "APPROVE"])
    expect(await transfers()).toBe(before + 1)
  })
})
