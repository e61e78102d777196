/** An invoice and payee verification bought on a real chain: its checks, its stored records, and the bodies that are never quoted. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { PayeeVerificationAnswer, type PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { buyAnswer, freshKey, type Payer, signedFor } from "../../../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { destination } from "../../../fixtures/decision.ts"
import { priceOf } from "../../../fixtures/prices.ts"
import { listedParty, staticBoard } from "../../../fixtures/test-server.ts"
import { endedEvidence, unsold } from "../../../fixtures/unsold.ts"
import { bindingEvidence } from "../../../fixtures/us-invoice.ts"
import { verificationBody } from "./reasons.ts"

const PRICE = priceOf("us.invoice_payee.verify.v1")

setDefaultTimeout(30_000)
const PATH = "/v1/us/invoices/verify-payee"
const LISTED_WALLET = `0x${"5A".repeat(20)}`

let input: AnswerTestServer
beforeAll(async () => {
  const identifiers = [{ scheme: "wallet" as const, value: LISTED_WALLET.toLowerCase() }]
  input = await answerTestServer({ board: staticBoard([listedParty({ identifiers })]) })
})
afterAll(() => input[Symbol.asyncDispose]())

function body(changes: Partial<PayeeVerificationRequest> = {}): PayeeVerificationRequest {
  const id = freshKey()
  return verificationBody(Date.now(), {
    invoice: { obligation_id: id, document_digest: digestOf(id) },
    ...changes,
  })
}

async function buy(request: PayeeVerificationRequest, payer: Payer = DEV_ACCOUNTS.payer) {
  const purchase = { path: PATH, body: request }
  return await buyAnswer(input.server, purchase, await signedFor(input.server, purchase, payer))
}

test("a verification costs its price and reports the finding of each gate", async () => {
  const request = body()
  const bought = await buy(request)
  expect(bought.status).toBe(200)
  expect([...Value.Errors(PayeeVerificationAnswer, bought.answer)]).toEqual([])
  expect(bought.answer).toMatchObject({
    decision: "APPROVE",
    payment: { charged_price_usd: PRICE.usd },
    result: {
      gates: { company: "ALLOW", restricted_party: "ALLOW", invoice_payee: "ALLOW", binding: "ALLOW" },
      payee_fingerprint: request.payee.fingerprint,
    },
    source_health: { INDEPENDENT_PAYEE_BINDING_EVIDENCE: "HEALTHY" },
  })
  expect((await input.chain.transfersTo(DEV_ACCOUNTS.payTo.address)).at(-1)?.value).toBe(PRICE.atomic)
})

test("a listed wallet gives a paid BLOCK, as payee and as destination, in any letter case", async () => {
  for (const changes of [{ payee: destination(LISTED_WALLET) }, { payment_destination: destination(LISTED_WALLET) }]) {
    const { answer } = await buy(body(changes))
    expect(answer).toMatchObject({
      decision: "BLOCK",
      machine_action: "STOP",
      reason_codes: ["WALLET_RESTRICTED", "LIMITED_COVERAGE"],
      economic_activity: { charged: true },
      result: { gates: { invoice_payee: "DENY" } },
    })
  }
})

test("a document of one obligation that is presented for another is held, for the same payer only", async () => {
  const first = body()
  await buy(first)
  const reused = () => body({ invoice: { ...first.invoice, obligation_id: freshKey() } })
  expect((await buy(reused())).answer).toMatchObject({
    decision: "REVIEW",
    reason_codes: ["DOCUMENT_REUSED_FOR_OTHER_OBLIGATION", "LIMITED_COVERAGE"],
    required_information: ["/invoice/document_digest"],
  })
  expect((await buy(reused(), DEV_ACCOUNTS.secondPayer)).answer).toMatchObject({ decision: "APPROVE" })
})

test("another document of an obligation that was verified before is held, and the same document is not", async () => {
  const first = body()
  await buy(first)
  expect((await buy(body({ invoice: first.invoice }))).answer.decision).toBe("APPROVE")
  const changed = { ...first.invoice, document_digest: digestOf("another one") }
  expect((await buy(body({ invoice: changed }))).answer.reason_codes).toEqual([
    "OBLIGATION_DOCUMENT_CHANGED",
    "LIMITED_COVERAGE",
  ])
})

const stated = (at: number) => bindingEvidence(Date.now(), { valid_until: formatInstant(at) })
test.each([
  [
    "a fingerprint that does not recompute",
    () => ({ payee: { ...destination(), fingerprint: digestOf("x") } }),
    "DIGEST_MISMATCH",
    "/payee/fingerprint",
  ],
  [
    "a destination's that does not",
    () => ({ payment_destination: { ...destination(), fingerprint: digestOf("x") } }),
    "DIGEST_MISMATCH",
    "/payment_destination/fingerprint",
  ],
  [
    "evidence of a day that does not exist",
    () => ({ binding_evidence: bindingEvidence(Date.now(), { verified_at: "2026-02-30T00:00:00Z" }) }),
    "SCHEMA_INVALID",
    "/binding_evidence/verified_at",
  ],
  [
    "evidence that ends within ten minutes",
    () => ({ binding_evidence: stated(Date.now() + 9 * MINUTE) }),
    "EVIDENCE_ENDS_TOO_SOON",
    "/binding_evidence/valid_until",
  ],
])("%s gets 422 with its pointer, and is never quoted", async (_what, changes, code, pointer) => {
  const answer = await input.server.post(body(changes()), {}, PATH)
  const problem = await answer.json()
  expect([answer.status, problem.code]).toEqual([422, code])
  expect(problem.errors.map((one: { pointer: string }) => one.pointer)).toEqual([pointer])
  expect(answer.headers.get("payment-required")).toBeNull()
})

test.each([
  ["has ended", { valid_until: Date.now() - DAY }, endedEvidence("PAYEE_BINDING_EXPIRED")],
  ["is older than the policy allows", { verified_at: Date.now() - 91 * DAY }, endedEvidence("PAYEE_BINDING_TOO_OLD")],
  ["is of tomorrow", { verified_at: Date.now() + DAY }, { quoted: false, status: 422, code: "EVIDENCE_NOT_YET_VALID" }],
])("evidence that %s is neither quoted nor charged", async (_what, times, expected) => {
  const changes = Object.fromEntries(Object.entries(times).map(([name, at]) => [name, formatInstant(at)]))
  const purchase = { path: PATH, body: body({ binding_evidence: bindingEvidence(Date.now(), changes) }) }
  const before = await input.transfers()
  const answer = await unsold(input.server, purchase)
  expect(answer).toMatchObject(expected)
  expect(answer.pointers.every((pointer) => pointer.startsWith("/binding_evidence"))).toBe(true)
  expect(await input.transfers()).toBe(before)
})
