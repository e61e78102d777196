/** Eligibility looks for a sale under the agent's own key, where the paid route looks first. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import type { EligibilityResponse } from "../../../../schemas/us/eligibility.ts"
import { freshRequest, PATH, signedHeader } from "../../../fixtures/test-server.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { openSeller, type Seller } from "./seller.ts"

setDefaultTimeout(30_000)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
})
afterAll(() => seller.close())

async function eligibilityOf(body: unknown): Promise<EligibilityResponse> {
  const answer = await seller.server.post(body, {}, `${PATH}/eligibility`)
  expect(answer.status).toBe(200)
  return (await answer.json()) as EligibilityResponse
}
const keyLine = (answer: EligibilityResponse) => answer.checks.find(({ check_id }) => check_id === "IDEMPOTENCY_KEY")

test("another body under a used key gets the same refusal from eligibility and the paid route", async () => {
  const first = await buyChecked(seller, { request: { supplier: newSupplier(), risk_policy: HIGH } })
  const request = freshRequest({
    request: { supplier: newSupplier(), risk_policy: HIGH, idempotency_key: first.request.idempotency_key },
  })
  expect((await seller.refused(request)).code).toBe("IDEMPOTENCY_KEY_REUSED")
  const eligibility = await eligibilityOf(request)
  expect(keyLine(eligibility)).toMatchObject({ state: "FAILED", code: "IDEMPOTENCY_KEY_REUSED" })
  expect(eligibility.eligible).toBe(false)
})

test("a running sale gives DECISION_IN_PROGRESS", async () => {
  const request = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
  const payment = await signedHeader(seller.server, request)
  const responded = Promise.withResolvers<void>()
  seller.rpc.reset()
  seller.rpc.fault("eth_sendRawTransaction", { hold: responded.promise })
  const answering = seller.server.post(request, payment)
  await seller.rpc.reached("eth_sendRawTransaction")
  const answer = await seller.server.post(request, {}, `${PATH}/eligibility`)
  const eligibility = (await answer.json()) as EligibilityResponse
  expect(keyLine(eligibility)).toMatchObject({ state: "FAILED", code: "DECISION_IN_PROGRESS" })
  responded.resolve()
  expect((await answering).status).toBe(200)
  seller.rpc.reset()
})

test("a key without a sale passes the line; without the agent's signature the line is not evaluated", async () => {
  const request = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
  expect(keyLine(await eligibilityOf(request))?.state).toBe("PASSED")
  request.requesting_agent.request_signature = "A".repeat(86)
  expect(keyLine(await eligibilityOf(request))?.state).toBe("NOT_EVALUATED")
})
