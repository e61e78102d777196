/** One job from its creation to its payout, and what the other rail says meanwhile. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { keccak256, toHex } from "viem"
import type { AcpDeliverable } from "../../schemas/acp/deliverable.ts"
import { requestDigest } from "../../src/checks/policy/digests.ts"
import { deliverableFaults } from "../../src/core/jobs/deliverable-faults.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { JOB_PRICE } from "../fixtures/escrow.ts"
import { actualJob, draftOf, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { PROVIDER } from "../fixtures/job-worker.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest } from "../fixtures/test-server.ts"
import { HIGH, newSupplier } from "../products/us/payment-decision/deliveries.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

interface Problem {
  readonly code: string
  readonly rail?: string
}

test("a job is decided after its funding is safe, delivered, submitted once and paid", async () => {
  const before = await rail.chain.balanceOf(PROVIDER.address)
  const job = await rail.newJob()
  const final = finalOf(job)
  rail.send(job, draftOf(job.request))
  await rail.until(job.jobId, "AWAITING_REQUIREMENT")
  expect(await rail.escrow.budgets(job.jobId)).toEqual([])

  rail.send(job, final)
  await rail.until(job.jobId, "BUDGET_PROPOSED")
  expect(await rail.escrow.budgets(job.jobId)).toEqual([JOB_PRICE])
  expect((await rail.recover(job.request)).status).toBe(202)
  const meanwhile = await rail.server.post(job.request)
  expect([meanwhile.status, ((await meanwhile.json()) as Problem).rail]).toEqual([202, "acp"])
  expect(meanwhile.headers.get("payment-required")).toBeNull()

  const funding = await rail.escrow.fund(job.jobId)
  await rail.until(job.jobId, "FUNDING_SEEN")
  await rail.round()
  expect((await rail.job(job.jobId)).reason).toBe("FUNDING_NOT_SAFE")
  expect(rail.told(job.jobId)).toEqual(["FUNDING_OBSERVED"])
  expect(rail.hub.deliverables(job.jobId)).toEqual([])
  expect((await rail.recover(job.request)).status).toBe(202)

  await rail.safe()
  await rail.until(job.jobId, "SUBMITTED")
  await rail.safe()
  await rail.until(job.jobId, "COMPLETED")
  expect(await rail.states(job.jobId)).toEqual([
    ...["SEEN", "AWAITING_REQUIREMENT", "REQUIREMENT_VERIFIED", "BUDGET_PREPARED", "BUDGET_PROPOSED", "FUNDING_SEEN"],
    ...["FUNDING_SAFE", "DECISION_READY", "DELIVERABLE_FROZEN", "DELIVERABLE_POSTED", "SUBMIT_PREPARED", "SUBMITTED"],
    ...["SUBMITTED_SAFE", "COMPLETED"],
  ])

  const [text = "", ...others] = rail.hub.deliverables(job.jobId)
  expect(others).toEqual([])
  const submitted = keccak256(toHex(text))
  expect(await rail.escrow.submissions(job.jobId)).toEqual([submitted])
  expect(
    deliverableFaults(text, {
      requirement: { final, requestDigest: requestDigest(job.request) },
      job: actualJob(job.jobId, job.client.address),
      submitted,
    }),
  ).toEqual([])
  const delivered = JSON.parse(text) as AcpDeliverable
  expect(delivered.response.decision).toBe("ALLOW_WITH_CONDITIONS")
  expect(delivered.funding_observation.tx_hash).toBe(funding)
  const recovered = await rail.recover(job.request)
  expect([recovered.status, JSON.parse(recovered.text)]).toEqual([200, delivered.response])
  const after = await rail.server.post(job.request)
  expect([after.status, ((await after.json()) as Problem).code]).toEqual([409, "ALREADY_ACQUIRED"])
  expect((await rail.chain.balanceOf(PROVIDER.address)) - before).toBe(782_100n)
  expect(await rail.escrow.budgets(job.jobId)).toEqual([JOB_PRICE])

  await rail.safe()
  const facts = (await rail.facts(job.jobId)).map(({ fact, level, amountAtomic }) => `${fact} ${level} ${amountAtomic}`)
  expect(new Set(facts)).toEqual(
    new Set([
      ...["FUNDING LATEST 790000", "FUNDING SAFE 790000", "FUNDING FINALIZED 790000"],
      ...["SUBMISSION LATEST null", "SUBMISSION SAFE null", "COMPLETION LATEST null", "COMPLETION SAFE null"],
      ...["PAYOUT LATEST 782100", "PAYOUT SAFE 782100"],
    ]),
  )
})

describe("every decision is delivered and paid", () => {
  const LOW = { policy_id: "p", tolerance: "LOW" } as const
  test.each([
    ["ALLOW", "LIMITED_COVERAGE", { risk_policy: HIGH }],
    ["HOLD", "FIRST_PAYMENT_TO_DESTINATION", { risk_policy: LOW }],
    ["BLOCK", "RESTRICTED_PARTY_MATCH", { supplier: newSupplier("Vostok Meridian Trading LLC") }],
  ] as const)("%s", async (decision, code, changes) => {
    await rail.server.database.write("UPDATE organization SET tolerance = 'HIGH'")
    const members = { decision_fee_payer: DEV_ACCOUNTS.payer.address, supplier: newSupplier(), ...changes }
    const job = await rail.completed({ request: freshRequest({ at: rail.machine.now(), request: members }) })
    const { response } = JSON.parse(rail.hub.deliverables(job.jobId)[0] ?? "") as AcpDeliverable
    expect([response.decision, response.reason_codes.includes(code)]).toEqual([decision, true])
    expect((await rail.escrow.submissions(job.jobId)).length).toBe(1)
  })
})
