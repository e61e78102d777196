/** The UK business payment from quote to token, on a real chain and a real database file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentAnswer, type GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { policyInForce } from "../../../../src/products/common/answer-rules.ts"
import { gbPaymentRules } from "../../../../src/products/gb/payment/rules.ts"
import { findToken } from "../../../../src/store/tokens/authorization-tokens.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer } from "../../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import {
  binding,
  GB_NUMBER,
  GB_PAYEE,
  GB_PAYMENT_PATH,
  gbCompany,
  gbHeaders,
  gbPaymentBody,
  gbSources,
  ukListed,
} from "../../../fixtures/gb.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import type { TestServer } from "../../../fixtures/test-server.ts"

const PRICE = priceOf("gb.business.payment.authorize.v1")

setDefaultTimeout(30_000)

const LISTED = "00000017"
const SOCIETY = "SP2715RS"
let seller: AnswerTestServer
let chain: Chain
let server: TestServer

beforeAll(async () => {
  const name = "OBSIDIAN HERON SHIPBROKERS LIMITED"
  seller = await answerTestServer({
    gb: gbSources({
      companies: [
        gbCompany(),
        gbCompany({ company_number: LISTED, company_name: name }),
        gbCompany({ company_number: SOCIETY }),
      ],
      listed: [ukListed(name)],
    }),
  })
  ;({ chain, server } = seller)
})
afterAll(() => seller[Symbol.asyncDispose]())

const purchase = (body: GbPaymentRequest) => ({ path: GB_PAYMENT_PATH, body, headers: gbHeaders(body) })
const transfers = () => seller.transfers()

describe("an authorized payment", () => {
  test("is charged once, names its gates and sources, and has a token that only its buyer gets", async () => {
    const before = await transfers()
    const body = gbPaymentBody()
    const bought = await buyAnswer(server, purchase(body))
    expect(bought.status).toBe(200)
    expect([...Value.Errors(GbPaymentAnswer, bought.answer)]).toEqual([])
    expect(bought.answer).toMatchObject({
      product_or_solution: "gb.business.payment.authorize.v1",
      decision: "APPROVE",
      authorization: "ALLOW",
      machine_action: "CONTINUE",
      policy: { id: "GB_BUSINESS_PAYMENT_V1", version: policyInForce(gbPaymentRules).version },
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
      payment: { payment_status: "SETTLED", charged_price_usd: PRICE.usd, persistence_status: "PERSISTED" },
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
    expect([paid.length, paid.at(-1)?.value]).toEqual([before + 1, PRICE.atomic])

    const token = String(bought.answer.result["authorization_token"])
    expect(token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)
    const kept = await server.store.read(() => findToken("GB", tokenHash(token)))
    expect(kept).toMatchObject({ kind: "PAYMENT", state: "ISSUED", expiresAt: bought.answer.valid_until })
    expect(JSON.parse(kept?.bindingJson ?? "")).toEqual({
      company_number: GB_NUMBER,
      payee_fingerprint: GB_PAYEE,
      amount: "1250.00",
      currency: "GBP",
      wallet: DEV_ACCOUNTS.payer.address.toLowerCase(),
    })

    const again = await server.get(`/v1/gb/executions/${bought.answer.execution_id}`)
    expect(await again.json()).toMatchObject({
      replayed: true,
      decision: "APPROVE",
      limitations: expect.arrayContaining(["TOKEN_NOT_REPLAYED"]),
      result: { authorization_token: "" },
    })
  })

  test("expires when the binding does, and at most after an hour", async () => {
    const end = formatInstant(Date.now() + 20 * MINUTE)
    const short = await buyAnswer(
      server,
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
    const { answer } = await buyAnswer(server, purchase(gbPaymentBody()))
    expect(Date.parse(answer.valid_until) - Date.parse(answer.valid_as_of)).toBe(HOUR)
  })
})

test("a registered society with closing letters in its number is sold like any other company", async () => {
  const { invoice } = gbPaymentBody()
  const body = gbPaymentBody({ company_number: SOCIETY, invoice: { ...invoice, company_number: SOCIETY } })
  expect((await buyAnswer(server, purchase(body))).answer).toMatchObject({ decision: "APPROVE" })
})

describe("an answer that is not an unconditional permission is delivered and charged:", () => {
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
        reason_codes: ["SANCTIONS_MATCH", "LIMITED_COVERAGE"],
        result: { gates: { supplier: "DENY", invoice: "ALLOW", payee: "ALLOW" } },
      },
    ],
    [
      "a company that the monthly file lacks",
      gbPaymentBody({ company_number: "00000099" }),
      {
        decision: "REVIEW",
        reason_codes: ["COMPANY_NOT_IN_MONTHLY_FILE", "LIMITED_COVERAGE"],
        required_information: ["/company_number"],
        coverage: { supported: false },
        result: { gates: { supplier: "HOLD", invoice: "HOLD", payee: "ALLOW" } },
      },
    ],
    [
      "another name on the invoice",
      gbPaymentBody({ invoice: { company_number: GB_NUMBER, invoice_company_name: "Quill & Marrow Ltd" } }),
      {
        decision: "REVIEW",
        authorization: "HOLD",
        machine_action: "HOLD_FOR_HUMAN_REVIEW",
        reason_codes: ["INVOICE_NAME_MISMATCH", "LIMITED_COVERAGE"],
        required_information: ["/invoice/invoice_company_name"],
        result: { gates: { supplier: "ALLOW", invoice: "HOLD", payee: "ALLOW" } },
      },
    ],
  ])("%s (no token)", async (_, body, expected) => {
    const before = await transfers()
    const { answer } = await buyAnswer(server, purchase(body))
    expect([...Value.Errors(GbPaymentAnswer, answer)]).toEqual([])
    expect(answer).toMatchObject(expected)
    expect(answer.result["authorization_token"]).toBe("")
    expect(answer.limitations).toContain("NO_TOKEN_ISSUED")
    expect(await transfers()).toBe(before + 1)
  })

  test("an authorization with conditions, which names them and has a token", async () => {
    const evidence = binding({ type: "SUPPLIER_STATEMENT" })
    const payee = { company_number: GB_NUMBER, payee_fingerprint: GB_PAYEE, binding_evidence: evidence }
    const { answer } = await buyAnswer(server, purchase(gbPaymentBody({ payee })))
    expect(answer).toMatchObject({
      decision: "CONDITIONAL",
      authorization: "ALLOW_WITH_CONDITIONS",
      machine_action: "CONTINUE_WITH_DECLARED_CONDITIONS",
      reason_codes: ["PAYEE_BINDING_WEAK", "LIMITED_COVERAGE"],
      conditions: ["VERIFY_PAYEE_INDEPENDENTLY"],
      result: { gates: { payee: "ALLOW_WITH_CONDITIONS" } },
    })
    expect(answer.result["authorization_token"]).toMatch(/^svc_at_/)
  })
})
