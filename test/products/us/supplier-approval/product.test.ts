/** A supplier approval bought on a real chain: its price, its content, and the bodies that are refused before any quote. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { SupplierApprovalAnswer, type SupplierApprovalRequest } from "../../../../schemas/us/supplier-approval.ts"
import { DAY, instant } from "../../../../src/core/time.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { listedParty, staticBoard } from "../../../fixtures/test-server.ts"
import { approvalBody } from "./reasons.ts"

const PRICE = priceOf("us.supplier.approve.v1")

setDefaultTimeout(30_000)
const PATH = "/v1/us/suppliers/approve"

let input: AnswerTestServer
beforeAll(async () => {
  input = await answerTestServer({ board: staticBoard([listedParty()]) })
})
afterAll(() => input[Symbol.asyncDispose]())

const buy = (body: SupplierApprovalRequest) => buyAnswer(input.server, { path: PATH, body })

test("an approval costs its price, is identified by its execution id and is valid for thirty days", async () => {
  const bought = await buy(approvalBody())
  expect(bought.status).toBe(200)
  expect([...Value.Errors(SupplierApprovalAnswer, bought.answer)]).toEqual([])
  const { answer } = bought
  expect(answer).toMatchObject({ decision: "APPROVE", payment: { charged_price_usd: PRICE.usd } })
  expect(answer.result).toEqual({ approval_reference: answer.execution_id, approved_until: answer.valid_until })
  expect(instant(answer.valid_until) - instant(answer.valid_as_of)).toBe(30 * DAY)
  const paid = await input.chain.transfersTo(DEV_ACCOUNTS.payTo.address)
  expect(paid.at(-1)?.value).toBe(PRICE.atomic)
})

test("a listed supplier gives a paid BLOCK that approves nothing", async () => {
  const company = { legal_name: "Vostok Meridian Trading LLC", identifiers: { uei: "ZQGGHJH74DW7" } }
  const { answer } = await buy(approvalBody({ company }))
  expect(answer).toMatchObject({
    decision: "BLOCK",
    machine_action: "STOP",
    reason_codes: ["RESTRICTED_PARTY_MATCH", "LIMITED_COVERAGE"],
    economic_activity: { charged: true },
    result: { approval_reference: null, approved_until: null },
  })
})

test("at tolerance LOW an unregistered identity is approved with a condition only", async () => {
  const low = approvalBody({ risk_policy: { policy_id: "buyer-default", tolerance: "LOW" } })
  const { answer } = await buy(low)
  expect(answer).toMatchObject({
    decision: "CONDITIONAL",
    machine_action: "CONTINUE_WITH_DECLARED_CONDITIONS",
    reason_codes: ["IDENTITY_ATTESTED_ONLY", "LIMITED_COVERAGE"],
    conditions: ["CONFIRM_SUPPLIER_REGISTRATION"],
    result: { approval_reference: answer.execution_id },
  })
})

test.each([
  [
    "an EIN alone",
    { company: { legal_name: "X Y Ltd", identifiers: { ein: "12-3456789" } } },
    "IDENTIFIER_UNSUPPORTED",
  ],
  ["no name anywhere", { company: { identifiers: { uei: "ZQGGHJH74DW7" } } }, "LEGAL_NAME_REQUIRED"],
  ["a tolerance of its own", { risk_policy: { policy_id: "p", tolerance: "NONE" } }, "SCHEMA_INVALID"],
  [
    "a day that does not exist",
    { freshness_requirements: { max_age_seconds: 60_000, evaluated_at: "2026-02-30T00:00:00Z" } },
    "SCHEMA_INVALID",
  ],
  [
    "an evaluation of yesterday",
    { freshness_requirements: { max_age_seconds: 60_000, evaluated_at: new Date(Date.now() - DAY).toISOString() } },
    "EVALUATED_AT_OUT_OF_WINDOW",
  ],
])("%s gets 422 and is never quoted", async (_what, changes, code) => {
  const answer = await input.server.post({ ...approvalBody(), ...changes }, {}, PATH)
  expect([answer.status, (await answer.json()).code]).toEqual([422, code])
  expect(answer.headers.get("payment-required")).toBeNull()
})
