/** One signed request over both rails: it is sold once, and each rail says so. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { MINUTE } from "../../src/core/time.ts"
import { frontRun, postContended, reconcileUntilQuiet } from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { reconcileOnce } from "../fixtures/reconcile-round.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, signedHeader } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

function fresh(): DecisionRequest {
  return freshRequest({ at: rail.machine.now(), request: { decision_fee_payer: DEV_ACCOUNTS.payer.address } })
}

async function refused(job: BuyerJob, code: string): Promise<void> {
  rail.send(job, finalOf(job))
  await rail.until(job.jobId, "REFUSED")
  expect(rail.told(job.jobId)).toEqual([code])
  expect(await rail.escrow.budgets(job.jobId)).toEqual([])
}

test("a job after x402", async () => {
  const request = fresh()
  const paid = await rail.server.post(request, await signedHeader(rail.server, request))
  expect(paid.status).toBe(200)
  await refused(await rail.newJob({ request }), "ALREADY_ACQUIRED_USE_RECOVERY")
  expect((await rail.recover(request)).text).toBe(await paid.text())
})

test("a job while x402 buys", async () => {
  const request = fresh()
  const header = await signedHeader(rail.server, request)
  const job = await rail.newJob({ request })
  await rail.chain.setAutomine(false)
  rail.proxy.reset()
  const paying = rail.server.post(request, header)
  await rail.proxy.reached("eth_sendRawTransaction")
  await refused(job, "DECISION_IN_PROGRESS")
  await rail.chain.setAutomine(true)
  await rail.chain.mine(1)
  await paying
  await reconcileUntilQuiet(rail.server)
  expect((await rail.server.post(request, header)).status).toBe(200)
})

test("a job while the chain shows the payment of a released attempt as used", async () => {
  const request = fresh()
  const header = await signedHeader(rail.server, request)
  const job = await rail.newJob({ request })
  await rail.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 0n)
  expect((await rail.server.post(request, header)).status).toBe(503)
  await rail.chain.setEtherBalance(DEV_ACCOUNTS.relayer.address, 10n ** 20n)
  await frontRun(rail.chain, header)
  await reconcileOnce(rail.server.deps)
  await refused(job, "DECISION_IN_PROGRESS")
  expect((await rail.recover(request)).status).toBe(202)
  expect((await rail.server.post(request, header)).status).toBe(200)
})

test("a job after a used payment that could not be reserved for the moment", async () => {
  const request = fresh()
  const header = await signedHeader(rail.server, request)
  const job = await rail.newJob({ request })
  await frontRun(rail.chain, header)
  expect((await postContended(rail.server, request, header)).status).toBe(202)
  await refused(job, "DECISION_IN_PROGRESS")
  expect((await rail.recover(request)).status).toBe(202)
  expect((await rail.server.post(request, header)).status).toBe(200)
})

test("x402 while a job buys", async () => {
  const request = fresh()
  const header = await signedHeader(rail.server, request)
  const job = await rail.proposed({ request })
  const before = (await rail.chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
  // Even a payment that has expired gets no quote.
  rail.machine.advance(10 * MINUTE)
  const answer = await rail.server.post(request, header)
  expect([answer.status, ((await answer.json()) as { rail?: string }).rail]).toEqual([202, "acp"])
  expect((await rail.chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length).toBe(before)
  expect((await rail.job(job.jobId)).state).toBe("BUDGET_PROPOSED")
})
