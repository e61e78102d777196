/** A buyer asks for free whether a person still has to look at a held answer, and learns nothing else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync } from "node:fs"
import { Value } from "@sinclair/typebox/value"
import { AnswerReviewResponse } from "../../../schemas/answer-review.ts"
import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { EligibilityResponse } from "../../../schemas/us/eligibility.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as revoke } from "../../../src/cli/suppressions/revoke.ts"
import { openBundle } from "../../../src/judgements/given-answer.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { listSuppressions } from "../../../src/store/sources/suppressions.ts"
import { buyAnswer, usBody } from "../../fixtures/answers.ts"
import { GB_NUMBER, GB_PAYMENT_PATH, gbCompany, gbHeaders, gbPaymentBody, gbSources } from "../../fixtures/gb.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../../fixtures/judging-operator.ts"
import type { SampleEntry } from "../../fixtures/sample-parties.ts"
import { freshRequest, PATH, signedHeader } from "../../fixtures/test-server.ts"

setDefaultTimeout(120_000)

const SHORT_NAMED = "07654321"
const entry = (number: number, name: string): SampleEntry => ({ number, name, programs: ["SDGT"] })
/** Two that resemble each other, and one whose name has no word that a list is searched for. */
const LISTED = [
  entry(90110, "HERON GLASS TRADING LLC"),
  entry(90111, "HERON GLAZE TRADING LLC"),
  entry(90112, "1 2 LLC"),
  entry(90114, "OSPREY LEDGER QUAY FREIGHT LLC"),
]

let at: JudgingOperator
beforeAll(async () => {
  const former = { name: "GRANITE FJORD", ceased_on: "2020-01-01" }
  const companies = [
    gbCompany({ previous_company_names: [former] }),
    gbCompany({
      company_number: SHORT_NAMED,
      previous_company_names: [
        { name: "GRANITE FJORDS", ceased_on: "2020-01-01" },
        { name: "A B LIMITED", ceased_on: "2019-01-01" },
      ],
    }),
  ]
  at = await openJudgingOperator({ gb: gbSources({ companies }), lists: { extraSdn: LISTED } })
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
async function factsOf(id: string) {
  return openBundle(readFileSync(await at.exported(id)), id)
}
async function ukAnswer(number: string): Promise<string> {
  const body = gbPaymentBody({ company_number: number })
  const { answer } = await buyAnswer(at.server, { path: GB_PAYMENT_PATH, body, headers: gbHeaders(body) })
  return answer.execution_id
}
async function judge(id: string, hit = "1"): Promise<void> {
  const ran = await at.run(add, "--answer", id, "--hit", hit, ...JUDGED)
  if (ran.exit !== 0) throw new Error(ran.err)
  await at.reload()
}

const NO_REVIEW = { status: 404, body: { code: "REVIEW_NOT_FOUND" } }

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
  expect(await reviewOf(await checked("Harbor Light Instruments LLC"))).toMatchObject(NO_REVIEW)
  expect(await reviewOf(await checked("Bramblewick Plumbing LLC", { cage: "0ZZ01" }))).toMatchObject(NO_REVIEW)
  expect(await reviewOf(await checked("Vostok Meridian Trading LLC"))).toMatchObject(NO_REVIEW)
  const unknown = { status: 404, body: { code: "EXECUTION_NOT_FOUND" } }
  expect(await reviewOf("exe_AAAAAAAAAAAAAAAAAAAAAA")).toMatchObject(unknown)
  expect(await reviewOf("none")).toMatchObject(unknown)
  const id = await checked("Vostok Meridian Inc")
  expect(await reviewOf(id, "gb")).toMatchObject(unknown)
  const paying = await reviewOf(id, "us", { "payment-signature": "e30=" })
  expect(paying).toMatchObject({ status: 400, body: { code: "PAYMENT_HEADER_FORBIDDEN" } })
})

test("a UK answer has a review of its own", async () => {
  const id = await ukAnswer(GB_NUMBER)
  expect((await reviewOf(id, "gb")).body).toMatchObject({ state: "OPEN" })
  await judge(id)
  expect((await reviewOf(id, "gb")).body).toMatchObject({ state: "DECIDED" })
})

test("a UK answer with a name that cannot be screened has no review, because no judgement of its hit clears it", async () => {
  const id = await ukAnswer(SHORT_NAMED)
  const { facts } = await factsOf(id)
  const states = (facts as GbFacts).screened_names.map(({ screening }) => screening.state)
  expect(states).toEqual(["CLEAR", "POSSIBLE_MATCH", "INSUFFICIENT", "CLEAR"])
  expect(await reviewOf(id, "gb")).toMatchObject(NO_REVIEW)
})

test("an answer with a judged hit that would block, or that stays held after every judgement, has no review", async () => {
  await judge(await checked("Heron Glass Trading LLC"))
  const id = await checked("Heron Glass Trading LLC")
  const { screening } = (await factsOf(id)).facts as UsFacts
  expect([screening.hits, screening.suppressed_hits ?? []].map((hits) => hits.map(({ tier }) => tier))).toEqual([
    ["HOLD"],
    ["BLOCK"],
  ])
  expect(await reviewOf(id)).toMatchObject(NO_REVIEW)
  await judge(id)
  expect(await reviewOf(id)).toMatchObject(NO_REVIEW)
  // Its one hit can be judged, and its name still has no word that a list is searched for.
  const short = await checked("1 2 Corp")
  expect(((await factsOf(short)).facts as UsFacts).screening.hits.map(({ tier }) => tier)).toEqual(["HOLD"])
  expect(await reviewOf(short)).toMatchObject(NO_REVIEW)
})

test("an answer that only a program restricts has no review, because no hit holds it", async () => {
  const id = await checked("Cobalt Wharf Trading")
  expect(((await factsOf(id)).facts as UsFacts).screening.state).toBe("PROGRAM_CONDITION")
  expect(await reviewOf(id)).toMatchObject(NO_REVIEW)
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

test("an entry that a later import adds holds the answer again, and one that blocks leaves no review", async () => {
  const id = await checked("Osprey Ledger Quay Inc")
  await judge(id)
  expect((await reviewOf(id)).body).toMatchObject({ state: "DECIDED" })
  const bring = async (name: string) => {
    await at.bring(["US_OFAC_SDN"], { extraSdn: [...LISTED, entry(90115, name)] })
    await at.reload()
  }
  await bring("OSPREY LEDGER QUAY HOUSE LLC")
  expect((await reviewOf(id)).body).toMatchObject({ state: "OPEN", next_machine_action: "WAIT_FOR_REVIEW" })
  const added = [
    "--name",
    "Osprey Ledger Quay Inc",
    "--type",
    "org",
    "--id",
    "uei:SUPPLYERAAA7",
    "--author",
    "R. Reviewer",
  ]
  const ran = await at.run(add, ...added, "--entry", "US_OFAC_SDN:90115", ...JUDGED)
  expect([ran.exit, ran.err]).toEqual([0, ""])
  await at.reload()
  const [judgement] = (await at.store.read(listSuppressions)).filter(({ entryId }) => entryId === "90115")
  expect((await reviewOf(id)).body).toMatchObject({ state: "DECIDED", since: judgement?.createdAt })
  await bring("OSPREY LEDGER QUAY INC")
  expect(await reviewOf(id)).toMatchObject(NO_REVIEW)
})
