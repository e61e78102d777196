/** Payments for forbidden purchases whose money has moved, or may still move: a payer gets an answer, and no one pays for a refusal. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { frontRun, reconcileUntilQuiet, theAttempt } from "../../../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../../../fixtures/chain.ts"
import { reconcileOnce } from "../../../fixtures/reconcile-round.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest, signedHeader } from "../../../fixtures/test-server.ts"
import { buyChecked, HIGH, newSupplier, raiseTolerance } from "./deliveries.ts"
import { again, paymentOf } from "./same-payment.ts"
import { openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(30_000)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
  await raiseTolerance(seller)
})
afterAll(() => seller.close())

describe("a payment whose money has moved is never refused; a BLOCK is delivered for it", () => {
  const blocked = {
    decision: "BLOCK",
    reason_codes: ["OBLIGATION_ALREADY_AUTHORIZED", "PAYMENT_INSTRUCTION_REUSED", "LIMITED_COVERAGE"],
  }

  test("if it is used on the chain before it is presented", async () => {
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft })
    const payment = await signedHeader(seller.server, late)
    await buyChecked(seller, { request: paymentOf(draft) })
    await frontRun(seller.chain, payment)
    const before = await seller.state()
    const answer = await seller.server.post(late, payment)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ ...blocked, billing: { charged: true } })
    expect((await seller.state()).transfers).toBe(before.transfers)
  })

  test("if it was released and is found on the chain later", async () => {
    for (const worker of seller.server.workers) await worker.stop()
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft })
    const payment = await givenUp(late)
    await buyChecked(seller, { request: paymentOf(draft) })
    await frontRun(seller.chain, payment)
    await seller.chain.mine(2)
    await reconcileOnce(seller.server.deps)
    await reconcileUntilQuiet(seller.server)
    const answer = await seller.server.post(late, payment)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject(blocked)
  })

  test("but a released and unused payment is refused like any other, and stays watched", async () => {
    const draft = freshRequest({ request: { supplier: newSupplier(), risk_policy: HIGH } })
    const late = again({ request: draft })
    const payment = await givenUp(late)
    const first = await buyChecked(seller, { request: paymentOf(draft) })
    const refusal = await seller.refused(late, payment)
    expect(refusal.problem).toMatchObject({
      code: "REUSABLE_DECISION_EXISTS",
      decision_id: first.response.decision_id,
    } as object)
    expect(await theAttempt(seller.server, late)).toMatchObject({ state: "RELEASED", watched: 1 })
  })

  /** Reserved, then released because nothing could be sent. */
  async function givenUp(request: DecisionRequest): Promise<Record<string, string>> {
    const payment = await signedHeader(seller.server, request)
    await seller.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
    const answer = await seller.server.post(request, payment)
    expect(answer.status).toBe(503)
    await seller.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
    return payment
  }
})
