/** Faults of a UK payment request itself are reported before any quote. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import {
  binding,
  challenge,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  GB_PAYMENT_PATH,
  gbHeaders,
  gbPaymentBody,
} from "../../../fixtures/gb.ts"
import type { TestServer } from "../../../fixtures/test-server.ts"
import { UK_ORGANISATION } from "../../../fixtures/uk-sanctions-list.ts"

setDefaultTimeout(30_000)

let seller: AnswerTestServer
let server: TestServer

beforeAll(async () => {
  seller = await answerTestServer()
  server = seller.server
})
afterAll(() => seller[Symbol.asyncDispose]())

const rows = () => server.database.count("decision_request")

describe("a request is refused before any quote:", () => {
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
      "evidence of tomorrow",
      bound(
        binding({ verified_at: formatInstant(Date.now() + DAY), valid_until: formatInstant(Date.now() + 9 * DAY) }),
      ),
      "EVIDENCE_NOT_YET_VALID",
      "/payee/binding_evidence/verified_at",
    ],
    [
      "a supplier of another number",
      { ...fair, supplier: { ...fair.supplier, company_number: "00000001" } },
      "REQUEST_CONTRADICTS_ITSELF",
      "/supplier/company_number",
    ],
    [
      "an invoice of another company",
      { ...fair, invoice: { ...fair.invoice, company_number: "00000001" } },
      "REQUEST_CONTRADICTS_ITSELF",
      "/invoice/company_number",
    ],
    [
      "a payee of another company",
      { ...fair, payee: { ...fair.payee, company_number: "00000001" } },
      "REQUEST_CONTRADICTS_ITSELF",
      "/payee/company_number",
    ],
    [
      "a name in an unsupported script",
      { ...fair, invoice: { ...fair.invoice, invoice_company_name: "ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ" } },
      "NAME_SCRIPT_UNSUPPORTED",
      "/invoice/invoice_company_name",
    ],
    [
      "a listed name beside a word in Arabic letters",
      { ...fair, invoice: { ...fair.invoice, invoice_company_name: `${UK_ORGANISATION} شركة` } },
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
    ["a company number with a space", { ...fair, company_number: "SC 12345" }, "SCHEMA_INVALID", "/company_number"],
    ["four closing letters", { ...fair, company_number: "IP00CUST" }, "SCHEMA_INVALID", "/company_number"],
    ["a member the interface does not have", { ...fair, schema_version: "1.0.0" }, "SCHEMA_INVALID", "/schema_version"],
  ])("%s", async (_, body, code, pointer) => {
    const before = await rows()
    const refused = await server.post(body, gbHeaders(body as GbPaymentRequest), GB_PAYMENT_PATH)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({ code, errors: [{ pointer }] })
    expect(refused.headers.get("payment-required")).toBeNull()
    expect(await rows()).toBe(before)
  })

  test("headers that differ from the body (400)", async () => {
    const body = gbPaymentBody()
    const { "idempotency-key": key, "x-cdo-request-body-digest": digest } = gbHeaders(body)
    for (const headers of [{}, { "idempotency-key": key ?? "" }, { "x-cdo-request-body-digest": digest ?? "" }]) {
      expect((await server.post(body, headers as Record<string, string>, GB_PAYMENT_PATH)).status).toBe(400)
    }
  })
})
