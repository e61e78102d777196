/**
 * A payment authorization bought on a real chain: its token, the approvals and obligations that count, and the bodies that are never
 * quoted.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import {
  PaymentAuthorizationAnswer,
  type PaymentAuthorizationRequest,
} from "../../../../schemas/us/payment-authorization.ts"
import { tokenHash } from "../../../../src/core/authorization-token.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer, freshKey, type Payer, signedFor, usBody } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { registerBoard, registered } from "../../../fixtures/register-board.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { storedText } from "../../../fixtures/stored-text.ts"
import { openTestServer } from "../../../fixtures/test-server.ts"
import { deadForPayer, deadReference, unsold } from "../../../fixtures/unsold.ts"
import { approvalBody } from "../supplier-approval/reasons.ts"
import { authorizationBody } from "./reasons.ts"

const test = slowTests(import.meta.path)

const PRICE = priceOf("us.payment.authorize.v1")

setDefaultTimeout(30_000)
const PATH = "/v1/us/payments/authorize"
const { payer, secondPayer } = DEV_ACCOUNTS

let input: AnswerTestServer
beforeAll(async () => {
  const registers = registerBoard(
    ["US_SAM_ENTITY"],
    [
      registered("US_SAM_ENTITY", "uei", "SUPPLYERAAA1", "Tidewater Optics Inc"),
      registered("US_SAM_ENTITY", "uei", "ZQGGHJH74DW7", "Harbor Light Instruments LLC"),
      registered("US_SAM_ENTITY", "uei", "ABCDEFGHJKL1", "Quiet Cove Marine LLC"),
    ],
  )
  input = await answerTestServer({ registers })
})
afterAll(() => input[Symbol.asyncDispose]())

async function buy(path: string, body: object, by: Payer = payer) {
  const purchase = { path, body }
  return await buyAnswer(input.server, purchase, await signedFor(input.server, purchase, by))
}

const authorize = (body: PaymentAuthorizationRequest, by: Payer = payer) => buy(PATH, body, by)

const refused = (body: PaymentAuthorizationRequest, by: Payer = payer) => unsold(input.server, { path: PATH, body }, by)

async function approvedBy(by: Payer, changes: Parameters<typeof approvalBody>[0] = {}): Promise<string> {
  return (await buy("/v1/us/suppliers/approve", approvalBody(changes), by)).answer.execution_id
}

/** A new invoice. */
function body(approval: string, changes: Partial<PaymentAuthorizationRequest> = {}): PaymentAuthorizationRequest {
  const id = freshKey()
  return authorizationBody({
    supplier_approval_reference: approval,
    invoice: { obligation_id: id, document_digest: digestOf(id) },
    ...changes,
  })
}

test("an authorization costs its price; its token is in the paid answer, and in no copy and nowhere in the database", async () => {
  const request = body(await approvedBy(payer))
  const bought = await authorize(request)
  expect([...Value.Errors(PaymentAuthorizationAnswer, bought.answer)]).toEqual([])
  expect(bought.answer).toMatchObject({ decision: "APPROVE", payment: { charged_price_usd: PRICE.usd } })
  const { execution_id: execution, result } = bought.answer
  const token = String(result.authorization_token)
  expect(token).toMatch(/^svc_at_[A-Za-z0-9_-]{43}$/)

  const again = await buyAnswer(input.server, { path: PATH, body: request }, bought.payment)
  expect(again.answer).toEqual({ ...bought.answer, replayed: true })
  const copy = await (await input.server.get(`/v1/us/executions/${execution}`)).json()
  expect(copy.result).toEqual({ ...result, authorization_token: "" })
  expect(copy.limitations).toContain("TOKEN_NOT_REPLAYED")

  const stored = await storedText(input.database)
  expect(stored.includes(execution)).toBe(true)
  expect(stored.includes(token)).toBe(false)
  expect(input.server.lines.some((line) => JSON.stringify(line).includes(token))).toBe(false)
  const row = await input.database.row<{ kind: string; binding: string; until: string }>(
    "SELECT kind, binding_json AS binding, expires_at AS until FROM authorization_token WHERE token_hash = ?",
    tokenHash(token),
  )
  expect([row?.kind, row?.until]).toEqual(["PAYMENT", bought.answer.valid_until])
  expect(JSON.parse(row?.binding ?? "")).toEqual({
    supplier_key: "uei:ZQGGHJH74DW7",
    payee_fingerprint: request.payee_fingerprint,
    amount: request.amount,
    currency: request.currency,
    wallet: payer.address.toLowerCase(),
  })
})

test("an approval counts only for the wallet that bought it", async () => {
  const approval = await approvedBy(payer)
  const before = await input.transfers()
  expect(await refused(body(approval), secondPayer)).toMatchObject(deadForPayer("SUPPLIER_APPROVAL_NOT_FOUND"))
  expect(await input.transfers()).toBe(before)
  expect((await authorize(body(approval))).answer.decision).toBe("APPROVE")
})

test("an answer of another kind, or one that approved nothing, is a missing approval and never quoted", async () => {
  const company = { legal_name: "Vostok Meridian Trading LLC", identifiers: { uei: "ZQGGHJH74DW7" } }
  const blocked = await approvedBy(payer, { company })
  const checked = (await buy("/v1/us/company-check", usBody())).answer.execution_id
  for (const reference of [blocked, checked, `exe_${"A".repeat(22)}`, "our order 4711"]) {
    const answer = await refused(body(reference))
    expect(answer).toMatchObject(deadReference("SUPPLIER_APPROVAL_NOT_FOUND"))
    expect(answer.pointers).toEqual(["/supplier_approval_reference"])
  }
})

test("an approval of another identifier or name differs, and an ended one has expired", async () => {
  const company = { legal_name: "Quiet Cove Marine LLC", identifiers: { uei: "ABCDEFGHJKL1" } }
  const other = await approvedBy(payer, { company })
  expect(await refused(body(other))).toMatchObject(deadReference("SUPPLIER_APPROVAL_DIFFERS"))
  const renamed = { ...authorizationBody().company, legal_name: "Quiet Cove Marine LLC" }
  const mine = await approvedBy(payer)
  expect(await refused(body(mine, { company: renamed }))).toMatchObject(deadReference("SUPPLIER_APPROVAL_DIFFERS"))
  const ended = await approvedBy(payer)
  await input.database.write(
    "UPDATE answer_record SET valid_until = '2026-01-01T00:00:00.000Z' WHERE execution_id = ?",
    ended,
  )
  expect(await refused(body(ended))).toMatchObject(deadReference("SUPPLIER_APPROVAL_EXPIRED"))
})

test("an approval without a name is for the registered name: another name differs from it, and no name does not", async () => {
  const company = { identifiers: { uei: "SUPPLYERAAA1" } }
  const approval = await approvedBy(payer, { company })
  const requests = (legal_name?: string) =>
    authorize(body(approval, { company: legal_name ? { ...company, legal_name } : company }))
  expect((await requests()).answer.decision).toBe("APPROVE")
  expect((await requests("Tidewater Optics, Inc.")).answer.decision).toBe("APPROVE")
  const renamed = body(approval, { company: { ...company, legal_name: "Quiet Cove Marine LLC" } })
  expect(await refused(renamed)).toMatchObject(deadReference("SUPPLIER_APPROVAL_DIFFERS"))
})

test("an obligation is sold once to each payer while it is valid; after a refusal it may be requested again", async () => {
  const approval = await approvedBy(payer)
  const { invoice } = body(approval)
  expect((await refused(body("not approved yet", { invoice }))).status).toBe(409)
  expect((await authorize(body(approval, { invoice }))).answer.decision).toBe("APPROVE")
  const spelled = { ...invoice, obligation_id: ` ${invoice.obligation_id.toUpperCase()}` }
  expect(await authorize(body(approval, { invoice: spelled }))).toMatchObject({
    status: 409,
    answer: { code: "REUSABLE_DECISION_EXISTS" },
  })
  const theirs = await approvedBy(secondPayer)
  expect((await authorize(body(theirs, { invoice }), secondPayer)).answer.decision).toBe("APPROVE")
})

test("while one request of a payer settles, another for the same obligation gets 409 without a charge", async () => {
  const approval = await approvedBy(payer)
  const { invoice } = body(approval)
  let release = () => {}
  const settling = new Promise<void>((resolve) => {
    release = resolve
  })
  let reached = () => {}
  const reserved = new Promise<void>((resolve) => {
    reached = resolve
  })
  const slow = await openTestServer(input.database, input.chain, {
    trace: async () => {
      reached()
      await settling
    },
  })
  const purchase = { path: PATH, body: body(approval, { invoice }) }
  const first = buyAnswer(slow, purchase, await signedFor(slow, purchase))
  await reserved
  const before = await input.transfers()
  const second = await authorize(body(approval, { invoice }))
  expect([second.status, (second.answer as unknown as { code: string }).code]).toEqual([409, "DECISION_IN_PROGRESS"])
  expect(await input.transfers()).toBe(before)
  expect((await authorize(body(approval))).answer.decision).toBe("APPROVE")
  release()
  expect((await first).answer.decision).toBe("APPROVE")
  await slow.close()
})

test.each([
  ["an amount of zero", { amount: "0.00" }, "AMOUNT_ZERO", "/amount"],
  ["a currency that is not in use", { currency: "XXX" }, "CURRENCY_UNKNOWN", "/currency"],
  ["a fingerprint that is no digest", { payee_fingerprint: "sha256:0" }, "SCHEMA_INVALID", "/payee_fingerprint"],
  [
    "a reference too short for one",
    { supplier_approval_reference: "exe_" },
    "SCHEMA_INVALID",
    "/supplier_approval_reference",
  ],
])("%s gets 422 with its pointer, and is never quoted", async (_what, changes, code, pointer) => {
  const answer = await input.server.post({ ...body("some approval"), ...changes }, {}, PATH)
  const problem = await answer.json()
  expect([answer.status, problem.code]).toEqual([422, code])
  expect(problem.errors.map((one: { pointer: string }) => one.pointer)).toEqual([pointer])
  expect(answer.headers.get("payment-required")).toBeNull()
})
