/** The UK vendor change, from the payment that it refers to up to its token, on a real chain and a real database file. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { GbPaymentAnswer } from "../../../../schemas/gb/payment.ts"
import { GbVendorChangeAnswer, type GbVendorChangeRequest } from "../../../../schemas/gb/vendor-change.ts"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { DAY, formatInstant, HOUR } from "../../../../src/core/time.ts"
import { findToken } from "../../../../src/store/tokens/authorization-tokens.ts"
import { moveToken } from "../../../../src/store/tokens/token-moves.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer, signedFor } from "../../../fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import {
  binding,
  challenge,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  GB_PAYMENT_PATH,
  GB_VENDOR_CHANGE_PATH,
  gbChangeBody,
  gbHeaders,
  gbPaymentBody,
  gbSources,
} from "../../../fixtures/gb.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { openTestServer, type TestServer } from "../../../fixtures/test-server.ts"
import { deadForPayer, deadReference, endedEvidence, unsold } from "../../../fixtures/unsold.ts"

const test = slowTests(import.meta.path)

const PRICE = priceOf("gb.vendor.payment_detail_change.authorize.v1")

setDefaultTimeout(30_000)

let seller: AnswerTestServer
let chain: Chain
let server: TestServer
/** Execution id of an authorized payment to GB_PAYEE. */
let prior: string

beforeAll(async () => {
  seller = await answerTestServer()
  ;({ chain, server } = seller)
  prior = (await buyAnswer(server, { path: GB_PAYMENT_PATH, ...uk(gbPaymentBody()) })).answer.execution_id
})
afterAll(() => seller[Symbol.asyncDispose]())

function uk<B extends { readonly idempotency_key: string }>(body: B) {
  return { body, headers: gbHeaders(body) }
}
const change = (changes: Partial<GbVendorChangeRequest> = {}) => {
  const body = gbChangeBody({ prior_authorization_reference: prior, challenge: later(), ...changes })
  return { path: GB_VENDOR_CHANGE_PATH, ...uk(body) }
}
/** A challenge must be later than the authorization it follows. */
const later = () => challenge({ verified_at: formatInstant(Date.now()) })
const transfers = () => seller.transfers()
const tokenOf = ({ answer }: Awaited<ReturnType<typeof buyAnswer>>) => String(answer.result["authorization_token"])

describe("an authorized change", () => {
  test("is charged once and has a revocable token for both payees", async () => {
    const before = await transfers()
    const bought = await buyAnswer(server, change())
    expect([...Value.Errors(GbVendorChangeAnswer, bought.answer)]).toEqual([])
    expect(bought.answer).toMatchObject({
      product_or_solution: "gb.vendor.payment_detail_change.authorize.v1",
      decision: "APPROVE",
      machine_action: "CONTINUE",
      policy: { id: "GB_VENDOR_CHANGE_V1" },
      source_health: {
        UK_COMPANIES_HOUSE: "HEALTHY",
        UK_SANCTIONS_LIST: "HEALTHY",
        INDEPENDENT_PAYEE_BINDING_EVIDENCE: "HEALTHY",
      },
      payment: { charged_price_usd: PRICE.usd },
      result: {
        company_number: GB_NUMBER,
        change_state: "AUTHORIZED",
        proposed_payee_fingerprint: GB_OTHER_PAYEE,
        single_use: true,
        revocable: true,
      },
    })
    expect(Object.keys(bought.answer.source_health).sort()).toEqual([
      "INDEPENDENT_PAYEE_BINDING_EVIDENCE",
      "UK_COMPANIES_HOUSE",
      "UK_SANCTIONS_LIST",
    ])
    expect(await transfers()).toBe(before + 1)
    const kept = await server.store.read(() => findToken("GB", tokenHash(tokenOf(bought))))
    expect(kept?.kind).toBe("VENDOR_CHANGE")
    expect(JSON.parse(kept?.bindingJson ?? "")).toEqual({
      company_number: GB_NUMBER,
      current_payee_fingerprint: GB_PAYEE,
      proposed_payee_fingerprint: GB_OTHER_PAYEE,
      wallet: DEV_ACCOUNTS.payer.address.toLowerCase(),
    })
  })

  test("expires with its challenge, and at most after a day", async () => {
    const end = formatInstant(Date.now() + 2 * HOUR)
    const short = await buyAnswer(server, change({ challenge: { ...later(), valid_until: end } }))
    expect(short.answer.valid_until).toBe(end)
    const long = await buyAnswer(
      server,
      change({ challenge: { ...later(), valid_until: formatInstant(Date.now() + 9 * DAY) } }),
    )
    expect(Date.parse(long.answer.valid_until) - Date.parse(long.answer.valid_as_of)).toBe(DAY)
  })

  test("is the prior authorization of the next change, until its token is revoked", async () => {
    const first = await buyAnswer(server, change())
    const next = {
      current_payee_fingerprint: GB_OTHER_PAYEE,
      proposed_payee_fingerprint: GB_PAYEE,
      prior_authorization_reference: first.answer.execution_id,
    }
    expect((await buyAnswer(server, change(next))).answer.decision).toBe("APPROVE")
    const token = await server.store.read(() => findToken("GB", tokenHash(tokenOf(first))))
    if (!token) throw new Error("no token")
    await server.store.run(() =>
      moveToken(token, { to: "REVOKED", at: Date.now(), revocationReason: "FRAUD_SUSPECTED" }),
    )
    expect(await unsold(server, change(next))).toMatchObject(deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"))
  })
})

describe("a change is neither quoted nor charged because of", () => {
  test.each<[string, () => Partial<GbVendorChangeRequest>, object]>([
    [
      "an unknown reference",
      () => ({ prior_authorization_reference: "exe_AAAAAAAAAAAAAAAAAAAAAA" }),
      { ...deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"), pointers: ["/prior_authorization_reference"] },
    ],
    [
      "a reference that is no execution id",
      () => ({ prior_authorization_reference: "letter of 3 May" }),
      { ...deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"), pointers: ["/prior_authorization_reference"] },
    ],
    [
      "another current payee than was authorized",
      () => ({ current_payee_fingerprint: GB_OTHER_PAYEE, proposed_payee_fingerprint: `sha256:${"c".repeat(64)}` }),
      { ...deadReference("PRIOR_AUTHORIZATION_DIFFERS"), pointers: ["/prior_authorization_reference"] },
    ],
    [
      "a challenge from before the prior authorization",
      () => ({ challenge: challenge({ verified_at: formatInstant(Date.now() - HOUR) }) }),
      { ...deadReference("CHALLENGE_NOT_FRESH"), pointers: ["/challenge"] },
    ],
    [
      "a challenge that is over",
      () => ({ challenge: { ...later(), valid_until: formatInstant(Date.now() - 1) } }),
      { ...endedEvidence("CHALLENGE_EXPIRED"), pointers: ["/challenge"] },
    ],
    [
      "a challenge that is too old",
      () => ({ challenge: { ...later(), verified_at: formatInstant(Date.now() - DAY - HOUR) } }),
      { ...endedEvidence("CHALLENGE_NOT_FRESH"), pointers: ["/challenge"] },
    ],
    [
      "a challenge of tomorrow",
      () => ({ challenge: { ...later(), verified_at: formatInstant(Date.now() + HOUR) } }),
      { quoted: false, status: 422, code: "EVIDENCE_NOT_YET_VALID", pointers: ["/challenge/verified_at"] },
    ],
  ])("%s", async (_, changes, expected) => {
    const before = await transfers()
    expect(await unsold(server, change(changes()))).toMatchObject(expected)
    expect(await transfers()).toBe(before)
  })

  test("another payer's authorization", async () => {
    const purchase = change()
    const answer = await unsold(server, purchase, DEV_ACCOUNTS.secondPayer)
    expect(answer).toMatchObject(deadForPayer("PRIOR_AUTHORIZATION_NOT_FOUND"))
  })

  test("a prior answer that permitted nothing", async () => {
    const body = gbPaymentBody({
      invoice: { company_number: GB_NUMBER, invoice_company_name: "Quill & Marrow Ltd" },
    })
    const review = await buyAnswer(server, { path: GB_PAYMENT_PATH, ...uk(body) })
    expect(review.answer.decision).toBe("REVIEW")
    const answer = await unsold(server, change({ prior_authorization_reference: review.answer.execution_id }))
    expect(answer).toMatchObject(deadReference("PRIOR_AUTHORIZATION_NOT_FOUND"))
  })

  test("a challenge that either product used before, in any letter case and spacing", async () => {
    const used = later()
    await buyAnswer(server, change({ challenge: used }))
    const written = { ...later(), reference: ` ${used.reference.toUpperCase()}` }
    expect(await unsold(server, change({ challenge: written }))).toMatchObject(deadForPayer("CHALLENGE_REUSED"))
    const payment = gbPaymentBody({
      payee: { company_number: GB_NUMBER, payee_fingerprint: GB_OTHER_PAYEE, binding_evidence: binding() },
      vendor_change: {
        current_payee_fingerprint: GB_PAYEE,
        proposed_payee_fingerprint: GB_OTHER_PAYEE,
        prior_authorization_reference: prior,
        challenge: { ...later(), reference: used.reference },
      },
    })
    const paid = await unsold(server, { path: GB_PAYMENT_PATH, ...uk(payment) })
    expect(paid).toMatchObject({ ...deadForPayer("CHALLENGE_REUSED"), pointers: ["/vendor_change/challenge"] })
  })
})

test("a payment that contains a change also passes the change's gate, and its payee is the next current one", async () => {
  const body = gbPaymentBody({
    payee: { company_number: GB_NUMBER, payee_fingerprint: GB_OTHER_PAYEE, binding_evidence: binding() },
    vendor_change: {
      current_payee_fingerprint: GB_PAYEE,
      proposed_payee_fingerprint: GB_OTHER_PAYEE,
      prior_authorization_reference: prior,
      challenge: later(),
    },
  })
  const { answer } = await buyAnswer(server, { path: GB_PAYMENT_PATH, ...uk(body) })
  expect([...Value.Errors(GbPaymentAnswer, answer)]).toEqual([])
  expect(answer).toMatchObject({ decision: "APPROVE", result: { gates: { payee: "ALLOW" } } })
  expect(answer.evidence.map(({ source_url: url }) => url)).toContain("urn:svc:evidence:vendor-challenge")
  const next = change({
    current_payee_fingerprint: GB_OTHER_PAYEE,
    proposed_payee_fingerprint: GB_PAYEE,
    prior_authorization_reference: answer.execution_id,
  })
  expect((await buyAnswer(server, next)).answer.decision).toBe("APPROVE")
})

test("of two simultaneous requests with one challenge one is decided, and the other is told to retry or refused", async () => {
  const shared = later()
  const purchases = [change({ challenge: shared }), change({ challenge: shared })]
  const payments = await Promise.all(purchases.map((purchase) => signedFor(server, purchase)))
  const before = await transfers()
  const answers = await Promise.all(purchases.map((purchase, at) => buyAnswer(server, purchase, payments[at] ?? {})))
  const said = answers.map(({ status, answer }) =>
    status === 200 ? answer.decision : (answer as unknown as { code: string }).code,
  )
  expect(said.filter((one) => one === "APPROVE")).toHaveLength(1)
  expect(["REFERENCE_NOT_USABLE", "DECISION_IN_PROGRESS"]).toContain(said.find((one) => one !== "APPROVE") ?? "")
  const charged = answers.filter(({ status }) => status === 200).length
  expect(await transfers()).toBe(before + charged)
})

test("a request released because a source failed releases its challenge", async () => {
  const sick = await openTestServer(seller.database, chain, {
    gb: gbSources({
      registerState: { health: "STALE" },
      live: {
        lookUp: async () => ({
          outcome: "UNKNOWN",
          health: "UNAVAILABLE",
          reasonCodes: ["SOURCE_UNAVAILABLE"],
          retryAt: null,
          evidence: null,
        }),
        state: async () => ({ requests: 0, requestsMax: 600, paused: null }),
      },
    }),
  })
  const shared = later()
  const silent = await buyAnswer(sick, change({ challenge: shared }))
  expect(silent.answer).toMatchObject({
    decision: "RETRY",
    result: { change_state: "REVIEW_REQUIRED", authorization_token: "" },
  })
  await sick.close()
  expect((await buyAnswer(server, change({ challenge: shared }))).answer.decision).toBe("APPROVE")
})

test("a change that changes nothing, and one whose challenge ends in minutes, are never quoted", async () => {
  for (const [changes, code] of [
    [{ proposed_payee_fingerprint: GB_PAYEE }, "NO_CHANGE_PROPOSED"],
    [{ challenge: challenge({ valid_until: formatInstant(Date.now() + 60_000) }) }, "EVIDENCE_ENDS_TOO_SOON"],
    [{ challenge: challenge({ type: "SUPPLIER_STATEMENT" as "IN_PERSON" }) }, "SCHEMA_INVALID"],
  ] as const) {
    const { path, body, headers } = change(changes)
    const refused = await server.post(body, headers, path)
    expect([refused.status, (await refused.json()).code]).toEqual([422, code])
  }
})
