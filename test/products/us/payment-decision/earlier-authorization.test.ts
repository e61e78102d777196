/**
 * Rule 8: while a decision on an obligation is valid, the service sells no second one, whether the request is unpaid, paid or at its
 * reservation.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { catalogue } from "../../../../src/base/refusals.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { HOUR } from "../../../../src/core/time.ts"
import { enterAgent, testKey } from "../../../fixtures/buyers.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, ORIGIN, PATH, signedHeader } from "../../../fixtures/test-server.ts"
import { age, type Bought, buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { again, paymentOf } from "./same-payment.ts"
import { enterDelegation, openSeller, type Problem, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: Seller
const otherAgentId = `svc:agent:${"o".repeat(32)}`
const otherAgent = testKey(otherAgentId, 61)
const strangerId = `svc:agent:${"s".repeat(32)}`
const stranger = testKey(strangerId, 62)
const ofOtherAgent = { agentId: otherAgentId, agent: otherAgent } as const

beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
  await enterAgent(seller.server.database, Date.now() - HOUR, otherAgent, otherAgentId)
  await enterAgent(seller.server.database, Date.now() - HOUR, stranger, strangerId)
  await enterDelegation(seller, otherAgent, { agent_id: otherAgentId })
})
afterAll(() => seller.close())

interface Named extends Problem {
  readonly decision_id?: string
  readonly response_digest?: string
  readonly valid_until?: string
  readonly recover?: string
  readonly next_machine_action: string
}

type Identifiers = Readonly<Record<string, string>>
const LEI = "5493001KJTIIGC8Y1R12"

const allowed = (changes: Partial<DecisionRequest> = {}) =>
  buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH, ...changes } })

const named = ({ response }: Bought, recover = true) => ({
  code: "REUSABLE_DECISION_EXISTS",
  charged: false,
  retryable: false,
  next_machine_action: "USE_EARLIER_DECISION",
  decision_id: response.decision_id,
  response_digest: response.delivery.response_digest,
  valid_until: response.valid_until,
  ...(recover && { recover: `${ORIGIN}${PATH}/recover` }),
})

async function eligibilityOf(body: unknown): Promise<EligibilityResponse> {
  const before = await seller.state()
  const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
  expect([answer.status, await seller.state()]).toEqual([200, before])
  return (await answer.json()) as EligibilityResponse
}
const lineOf = ({ checks }: EligibilityResponse) => checks.find(({ check_id }) => check_id === "EARLIER_AUTHORIZATION")

describe("while a decision is valid, the same payment is refused and the refusal names the decision", () => {
  test("before the quote and in eligibility, without a charge", async () => {
    const first = await allowed()
    const request = again(first)
    const refusal = await seller.refused(request)
    expect(refusal.status).toBe(409)
    expect(refusal.problem).toMatchObject(named(first))
    expect(refusal.headers.get("payment-required")).toBeNull()
    const eligibility = await eligibilityOf(request)
    const { decision_id, response_digest, valid_until } = named(first)
    const recover = `${ORIGIN}${PATH}/recover`
    expect(lineOf(eligibility)).toEqual({
      check_id: "EARLIER_AUTHORIZATION",
      state: "FAILED",
      code: "REUSABLE_DECISION_EXISTS",
      pointers: [],
    })
    expect([eligibility.eligible, eligibility.next_machine_action]).toEqual([false, "USE_EARLIER_DECISION"])
    expect(eligibility.reusable_decision).toEqual({ decision_id, response_digest, valid_until, recover })
  })

  test("on a payment for a quote older than the decision, whose authorization is neither stored nor sent", async () => {
    const supplier = newSupplier()
    const draft = freshRequest({ request: { supplier, risk_policy: HIGH } })
    const late = again({ request: draft })
    const payment = await signedHeader(seller.server, late)
    const first = await buyChecked(seller, { request: paymentOf(draft) })
    const refusal = await seller.refused(late, payment)
    expect([refusal.status, refusal.code]).toEqual([409, "REUSABLE_DECISION_EXISTS"])
    expect(refusal.problem).toMatchObject(named(first))
  })

  test("at the reservation, which finds a decision delivered during the node query", async () => {
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft })
    const [mine, theirs] = [await signedHeader(seller.server, draft), await signedHeader(seller.server, late)]
    let isHeld = false
    const reached = Promise.withResolvers<void>()
    const delivered = Promise.withResolvers<void>()
    seller.rpc.fault("eth_getCode", {
      hold: delivered.promise,
      when: () => {
        const isFirst = !isHeld
        isHeld = true
        reached.resolve()
        return isFirst
      },
    })
    const answering = seller.server.post(late, theirs)
    await reached.promise
    const bought = await seller.server.post(draft, mine)
    expect(bought.status).toBe(200)
    const before = await seller.state()
    delivered.resolve()
    const answer = await answering
    seller.rpc.reset()
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([409, "REUSABLE_DECISION_EXISTS"])
    expect(await seller.state()).toEqual(before)
  })

  test("in place of the new quote that an invalid payment would get", async () => {
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft })
    const unpayable = await signedHeader(seller.server, late, { value: 1n })
    await buyChecked(seller, { request: paymentOf(draft) })
    expect((await seller.refused(late, unpayable)).code).toBe("REUSABLE_DECISION_EXISTS")
  })

  test.each<[string, Partial<DecisionRequest>]>([
    ["the amount written with more zeros", { amount: "12500.000000" }],
    ["another document of the same obligation", { invoice: { obligation_id: "", document_digest: digestOf("scan") } }],
    ["the earlier decision among its evidence", { evidence_references: [digestOf("replaced below")] }],
    ["another tolerance, purpose and trace", { economic_purpose: "Calibration", risk_policy: HIGH }],
  ])("also with %s", async (_what, changes) => {
    const first = await allowed()
    const { invoice } = first.request
    const evidence = first.response.delivery.response_digest as DecisionRequest["evidence_references"][number]
    const request = again(first, {
      ...changes,
      ...(changes.invoice && { invoice: { ...changes.invoice, obligation_id: ` ${invoice.obligation_id} ` } }),
      ...(changes.evidence_references && { evidence_references: [evidence] }),
    })
    expect((await seller.refused(request)).problem).toMatchObject(named(first))
  })

  test.each<[string, Identifiers, Identifiers]>([
    ["one identifier more", {}, { lei: LEI }],
    ["one identifier fewer", { lei: LEI }, {}],
    ["an identifier of a name that is not used, in place of one that is", { cage: "1A2B3" }, { vat: "none" }],
  ])("also with the supplier named by %s and another entity id", async (_what, before, after) => {
    const supplier = newSupplier()
    const namedBy = (more: Identifiers) => ({ ...supplier, identifiers: { ...supplier.identifiers, ...more } })
    const first = await allowed({ supplier: namedBy(before) })
    const request = again(first, { supplier: { ...namedBy(after), entity_id: `${supplier.entity_id}-again` } })
    expect((await seller.refused(request)).problem).toMatchObject(named(first))
  })

  test("also after a conditional decision", async () => {
    const first = await buyChecked(seller, { request: { supplier: newSupplier() } })
    expect(first.response.decision).toBe("ALLOW_WITH_CONDITIONS")
    expect((await seller.refused(again(first))).problem).toMatchObject(named(first))
  })

  test("to every agent with a delegation of the organization; only the buyer gets the recover route", async () => {
    const first = await allowed()
    const { problem } = await seller.refused(again(first, {}, ofOtherAgent))
    expect(problem).toMatchObject(named(first, false))
    expect((problem as Named).recover).toBeUndefined()
    const eligibility = await eligibilityOf(again(first, {}, ofOtherAgent))
    expect(eligibility.reusable_decision?.decision_id).toBe(first.response.decision_id)
    expect(eligibility.reusable_decision).not.toHaveProperty("recover")
  })

  test("to no other agent: an agent without a delegation learns nothing of it", async () => {
    const first = await allowed()
    const request = again(first, {}, { agentId: strangerId, agent: stranger })
    const refusal = await seller.refused(request)
    expect(refusal.code).toBe("DELEGATION_NOT_ACTIVE")
    const eligibility = await eligibilityOf(request)
    expect(lineOf(eligibility)?.state).toBe("NOT_EVALUATED")
    for (const text of [JSON.stringify(refusal.problem), JSON.stringify(eligibility)]) {
      expect(text).not.toContain(first.response.decision_id)
    }
    const unsigned = again(first)
    unsigned.requesting_agent.request_signature = "A".repeat(86)
    expect(lineOf(await eligibilityOf(unsigned))?.state).toBe("NOT_EVALUATED")
  })
})

describe("rule 8 does not forbid", () => {
  test("another obligation, or the same id at another supplier", async () => {
    const first = await allowed()
    expect((await seller.refused(again(first, { invoice: freshRequest().invoice }))).status).toBe(402)
    expect((await seller.refused(again(first, { supplier: newSupplier() }))).status).toBe(402)
  })

  test("an obligation that got HOLD or BLOCK or no decision", async () => {
    const supplier = newSupplier("Vostok Meridian Trading LLC")
    const blocked = await buyChecked(seller, { request: { supplier } })
    expect(blocked.response.decision).toBe("BLOCK")
    expect((await seller.refused(again(blocked))).status).toBe(402)
  })

  test("an obligation whose decision has ended", async () => {
    const first = await allowed()
    expect((await seller.refused(again(first))).status).toBe(409)
    await age(seller, first)
    expect(lineOf(await eligibilityOf(again(first)))?.state).toBe("PASSED")
    expect((await seller.refused(again(first))).status).toBe(402)
  })

  test("the request that bought the decision: it is acquired, and its payment returns it again", async () => {
    const { request, text, headers } = await seller.buy(
      freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } }),
    )
    expect(headers.get("payment-response")).not.toBeNull()
    expect((await seller.refused(request)).code).toBe("ALREADY_ACQUIRED")
    const eligibility = await eligibilityOf(request)
    expect(eligibility.checks.find(({ check_id }) => check_id === "IDEMPOTENCY_KEY")).toMatchObject({
      state: "FAILED",
      code: "ALREADY_ACQUIRED",
    })
    expect([eligibility.eligible, eligibility.next_machine_action]).toEqual([false, catalogue.ALREADY_ACQUIRED.next])
    expect(lineOf(eligibility)?.state).not.toBe("FAILED")
    expect(text.length).toBeGreaterThan(0)
  })
})

test("a late decision that its owner may have replaced keeps DECISION_IN_PROGRESS, for every agent and on a payment", async () => {
  const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
  const late = again({ request: draft })
  const payment = await signedHeader(seller.server, late)
  const first = await buyChecked(seller, { request: paymentOf(draft) })
  const id = first.response.decision_request_id
  await seller.sql(
    "INSERT INTO redelivery (request_id, scope, subject, until) SELECT id, scope, 'subject', '2099-01-01T00:00:00.000Z' FROM decision_request WHERE id = ?",
    id,
  )
  for (const [request, header] of [
    [again(first), {}],
    [again(first, { amount: "1" }), {}],
    [again(first, {}, ofOtherAgent), {}],
    [late, payment],
  ] as const) {
    const refusal = await seller.refused(request, header)
    expect([refusal.status, refusal.code]).toEqual([409, "DECISION_IN_PROGRESS"])
    expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0)
    const isOwner = request.requesting_agent.agent_id !== otherAgentId
    expect((refusal.problem as Problem & { detail: string }).detail.includes("without payment")).toBe(isOwner)
    expect(JSON.stringify(refusal.problem)).not.toContain(first.response.decision_id)
  }
  expect(lineOf(await eligibilityOf(again(first)))).toMatchObject({ state: "FAILED", code: "DECISION_IN_PROGRESS" })
  await seller.sql("UPDATE redelivery SET until = '2000-01-01T00:00:00.000Z' WHERE request_id = ?", id)
  expect((await seller.refused(again(first))).code).toBe("REUSABLE_DECISION_EXISTS")
})
