/** While a decision is valid, the same obligation on other terms is stopped. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { HOUR } from "../../../../src/core/time.ts"
import { enterAgent, testKey } from "../../../fixtures/buyers.ts"
import { destination } from "../../../fixtures/decision.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, PATH, signedHeader } from "../../../fixtures/test-server.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { again, paymentOf } from "./same-payment.ts"
import { enterDelegation, openSeller, type Problem, type Refusal, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: Seller
const otherAgentId = `svc:agent:${"o".repeat(32)}`
const otherAgent = testKey(otherAgentId, 61)
const strangerId = `svc:agent:${"s".repeat(32)}`
const stranger = testKey(strangerId, 62)
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

const LEI = "5493001KJTIIGC8Y1R12"

const allowed = (changes: Partial<DecisionRequest> = {}) =>
  buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH, ...changes } })

function expectStopped({ status, problem }: Refusal, pointers: readonly string[]): void {
  const { code, decision_id, response_digest, valid_until, recover, errors, next_machine_action } = problem as Named
  expect([status, code, next_machine_action]).toEqual([409, "OBLIGATION_ALREADY_AUTHORIZED", "STOP"])
  expect([decision_id, response_digest, valid_until, recover]).toEqual([undefined, undefined, undefined, undefined])
  expect(errors.map(({ pointer }) => pointer)).toEqual([...pointers])
}

async function eligibilityOf(body: unknown): Promise<EligibilityResponse> {
  const before = await seller.state()
  const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
  expect([answer.status, await seller.state()]).toEqual([200, before])
  return (await answer.json()) as EligibilityResponse
}
const lineOf = ({ checks }: EligibilityResponse) => checks.find(({ check_id }) => check_id === "EARLIER_AUTHORIZATION")

describe("while a decision is valid, the same obligation on other terms is refused and the refusal calls nothing reusable:", () => {
  const other = destination(`0x${"cd".repeat(20)}`)
  const LINES: readonly (readonly [string, Partial<DecisionRequest>, readonly string[]])[] = [
    ["payee", { payee: other }, ["/payee"]],
    ["destination", { payment_destination: other }, ["/payment_destination"]],
    ["amount", { amount: "12499.99" }, ["/amount"]],
    ["instruction", { payment_instruction_digest: digestOf("other") }, ["/payment_instruction_digest"]],
    ["amount and destination", { amount: "1", payment_destination: other }, ["/payment_destination", "/amount"]],
  ]
  test.each(LINES)("another %s", async (_what, changes, pointers) => {
    const first = await allowed()
    const request = again(first, changes)
    expectStopped(await seller.refused(request), pointers)
    const eligibility = await eligibilityOf(request)
    expect(lineOf(eligibility)).toMatchObject({ state: "FAILED", code: "OBLIGATION_ALREADY_AUTHORIZED" })
    expect(eligibility.next_machine_action).toBe("STOP")
    expect(eligibility).not.toHaveProperty("reusable_decision")
    expect(JSON.stringify(eligibility)).not.toContain(first.response.decision_id)
  })

  test("another currency", async () => {
    const first = await allowed()
    await seller.sql("UPDATE decision_request SET request_json = replace(request_json, '\"USD\"', '\"EUR\"')")
    expectStopped(await seller.refused(again(first)), ["/currency"])
    await seller.sql("UPDATE decision_request SET request_json = replace(request_json, '\"EUR\"', '\"USD\"')")
  })

  test("also with one more identifier of the supplier", async () => {
    const first = await allowed()
    const { supplier } = first.request
    const renamed = {
      ...supplier,
      entity_id: `${supplier.entity_id}-again`,
      identifiers: { ...supplier.identifiers, lei: LEI },
    }
    expectStopped(await seller.refused(again(first, { supplier: renamed, amount: "1" })), ["/amount"])
  })

  test("also on the payment, without a charge", async () => {
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft }, { amount: "12000" })
    const payment = await signedHeader(seller.server, late)
    await buyChecked(seller, { request: paymentOf(draft) })
    expectStopped(await seller.refused(late, payment), ["/amount"])
  })
})
