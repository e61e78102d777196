/** A buyer asks for free whether a person still has to look at a held answer, and learns nothing else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { AnswerReviewResponse } from "../../../schemas/answer-review.ts"
import { EligibilityResponse } from "../../../schemas/us/eligibility.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { listSuppressions } from "../../../src/store/sources/suppressions.ts"
import { buyAnswer, usBody } from "../../fixtures/answers.ts"
import { GB_NUMBER, GB_PAYMENT_PATH, gbCompany, gbHeaders, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../../fixtures/judging-operator.ts"
import { freshRequest, PATH, signedHeader } from "../../fixtures/test-server.ts"

setDefaultTimeout(120_000)

let at: JudgingOperator
beforeAll(async () => {
  const former = [{ name: "GRANITE FJORD", ceased_on: "2020-01-01" }]
  at = await openJudgingOperator({ gb: gbSources({ companies: [gbCompany({ previous_company_names: former })] }) })
})
afterAll(() => at.close())

async function checked(legal_name: string, more: Record<string, string> = {}): Promise<string> {
  const body = usBody({ company: { legal_name, identifiers: { uei: "SUPPLYERAAA7", ...more } } })
  const { status, text, answer } = await buyAnswer(at.server, { path: companyCheckRules.path, body })
  if (status !== 200) throw new Error(text)
  return answer.execution_id
}
async function reviewOf(id: string, country = "us", headers = {}) {
  const answer = await at.server.get(`/v1/${country}/executions/${id}/review`, headers)
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
}
async function judge(id: string): Promise<void> {
  const ran = await at.run(add, "--answer", id, "--hit", "1", ...JUDGED)
  if (ran.exit !== 0) throw new Error(ran.err)
  await at.reload()
}

test("a held answer is OPEN until a person judged its hits, then DECIDED, and OPEN again after a revocation", async () => {
  const id = await checked("Vostok Meridian LLC")
  const open = await reviewOf(id)
  expect([...Value.Errors(AnswerReviewResponse, open.body)]).toEqual([])
  expect(open.headers.get("cache-control")).toBe("private, no-store")
  expect(open.headers.get("access-control-allow-origin")).toBeNull()
  expect(open.body).toMatchObject({
    execution_id: id,
    state: "OPEN",
    charged: false,
    next_machine_action: "WAIT_FOR_REVIEW",
  })
  await judge(id)
  const decided = await reviewOf(id)
  expect([...Value.Errors(AnswerReviewResponse, decided.body)]).toEqual([])
  const [judgement] = await at.store.read(listSuppressions)
  expect(decided.body).toMatchObject({
    state: "DECIDED",
    since: judgement?.createdAt,
    next_machine_action: "ASK_AGAIN_WITH_NEW_IDEMPOTENCY_KEY",
  })
  // Neither who, nor why, nor what was found.
  const said = JSON.stringify(decided.body)
  for (const secret of [judgement?.author, "another owner", judgement?.suppressionId, "US_OFAC_SDN", "90001", "VOSTOK"])
    expect(said).not.toContain(secret)
  await at.run(revoke, judgement?.suppressionId ?? "", "--reason", "wrong file", "--author", "S. Second")
  await at.reload()
  expect((await reviewOf(id)).body).toMatchObject({ state: "OPEN" })
})

test("an answer that no person can clear, an unknown one and one of another country have no review", async () => {
  const none = { status: 404, body: { code: "REVIEW_NOT_FOUND" } }
  expect(await reviewOf(await checked("Harbor Light Instruments LLC"))).toMatchObject(none)
  expect(await reviewOf(await checked("Bramblewick Plumbing LLC", { cage: "0ZZ01" }))).toMatchObject(none)
  expect(await reviewOf(await checked("Vostok Meridian Trading LLC"))).toMatchObject(none)
  const unknown = { status: 404, body: { code: "EXECUTION_NOT_FOUND" } }
  expect(await reviewOf("exe_AAAAAAAAAAAAAAAAAAAAAA")).toMatchObject(unknown)
  expect(await reviewOf("none")).toMatchObject(unknown)
  const id = await checked("Vostok Meridian Inc")
  expect(await reviewOf(id, "gb")).toMatchObject(unknown)
  const paying = await reviewOf(id, "us", { "payment-signature": "e30=" })
  expect(paying).toMatchObject({ status: 400, body: { code: "PAYMENT_HEADER_FORBIDDEN" } })
})

test("a UK answer has a review of its own", async () => {
  const body = gbPaymentBody({ company_number: GB_NUMBER })
  const { answer } = await buyAnswer(at.server, { path: GB_PAYMENT_PATH, body, headers: gbHeaders(body) })
  expect((await reviewOf(answer.execution_id, "gb")).body).toMatchObject({ state: "OPEN" })
  await judge(answer.execution_id)
  expect((await reviewOf(answer.execution_id, "gb")).body).toMatchObject({ state: "DECIDED" })
})

test("a Payment Decision has its review in the eligibility of the signed request that bought it, and nobody else sees it", async () => {
  const supplier = { entity_id: "supplier:v", legal_name: "Vostok Meridian Ltd", identifiers: { uei: "SUPPLYERAAA8" } }
  const request = freshRequest({ request: { supplier } })
  const eligibility = async (body: object) => {
    const answer = await at.server.post(body, {}, `${PATH}/eligibility`)
    const found = (await answer.json()) as EligibilityResponse
    expect([answer.status, ...Value.Errors(EligibilityResponse, found)]).toEqual([200])
    return found
  }
  expect(await eligibility(request)).not.toHaveProperty("review")
  const bought = await at.server.post(request, await signedHeader(at.server, request))
  const { decision_id: id, decision } = (await bought.json()) as { decision_id: string; decision: string }
  expect(decision).toBe("HOLD")
  expect((await eligibility(request)).review).toMatchObject({ state: "OPEN", next_machine_action: "WAIT_FOR_REVIEW" })
  const { requesting_agent: agent } = request
  const forged = { ...request, requesting_agent: { ...agent, request_signature: `${"A".repeat(85)}Q` } }
  expect(await eligibility(forged)).not.toHaveProperty("review")
  await judge(id)
  expect((await eligibility(request)).review).toMatchObject({ state: "DECIDED" })
})
