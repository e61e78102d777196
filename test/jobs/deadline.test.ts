/** The times of a job, one second on either side; the chain's clock decides. Before the freeze nothing is released, after it everything is. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { keccak256, toHex } from "viem"
import { digestOf } from "../../src/core/digest.ts"
import { formatInstant } from "../../src/core/time.ts"
import { insertRevocation } from "../../src/store/buyers/buyer-revocations.ts"
import { findPurchase } from "../../src/store/sales/purchases.ts"
import { rowsOf } from "../delivery/selling-bench.ts"
import { mandateKey, ORGANIZATION_ID } from "../fixtures/buyers.ts"
import { type JobRail, openJobRail, SAFE_BLOCKS } from "../fixtures/job-rail.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { quoteFor } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

/** A funded job whose head is `left` seconds before its deadline, with the funding safe; the worker has not looked since it saw it. */
async function fundedLate(left: number) {
  const job = await rail.funded()
  await rail.until(job.jobId, "FUNDING_SEEN")
  const { expiredAt } = await rail.escrow.read(job.jobId)
  await rail.mineUntil(expiredAt - left)
  return { ...job, expiredAt }
}

async function missed({ jobId, request }: Awaited<ReturnType<typeof fundedLate>>): Promise<void> {
  const job = await rail.until(jobId, "DEADLINE_MISSED")
  expect(rail.hub.deliverables(jobId)).toEqual([])
  expect(await rail.escrow.submissions(jobId)).toEqual([])
  expect(await rowsOf(rail.server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
  expect(await rail.server.store.read(() => findPurchase(job.id))).toMatchObject({ state: "ENDED", reference: null })
  expect((await rail.recover(request)).status).toBe(404)
  expect(rail.told(jobId)).toEqual(["FUNDING_OBSERVED", "DEADLINE_MISSED"])
  await quoteFor(rail.server, request)
}

describe("60 seconds before the deadline", () => {
  test("with 60 seconds left the decision is acquired and submitted", async () => {
    const { jobId, request } = await fundedLate(60)
    await rail.look(jobId)
    expect(rail.hub.deliverables(jobId).length).toBe(1)
    await rail.until(jobId, "SUBMITTED")
    expect((await rail.recover(request)).status).toBe(200)
  })

  test("with 59 nothing is decided; a safe block past that time ends the purchase", async () => {
    const job = await fundedLate(59)
    await rail.look(job.jobId)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "FUNDING_SAFE", reason: "DEADLINE_CLOSE" })
    expect((await rail.recover(job.request)).status).toBe(202)
    await rail.chain.mine(SAFE_BLOCKS)
    await missed(job)
  })

  test("a decision that was ready in time is dropped when the contract takes it too late", async () => {
    const job = await rail.funded()
    await rail.until(job.jobId, "FUNDING_SEEN")
    await rail.safe()
    await rail.escrow.setPaused(true)
    await rail.round()
    expect(await rail.job(job.jobId)).toMatchObject({ state: "DECISION_READY", reason: "SUBMIT_WOULD_FAIL" })
    await rail.escrow.setPaused(false)
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.mineUntil(expiredAt - 59)
    await rail.chain.mine(SAFE_BLOCKS)
    await missed({ ...job, expiredAt })
  })
})

describe("a list that fails after the funding", () => {
  test("until the deadline: nothing is acquired, and the request may be bought again", async () => {
    const job = await rail.funded()
    await rail.until(job.jobId, "FUNDING_SEEN")
    rail.board.serveNothing()
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_SAFE")
    expect((await rail.job(job.jobId)).reason).toBe("SOURCE_STALE")
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.mineUntil(expiredAt - 59)
    await rail.chain.mine(SAFE_BLOCKS)
    rail.board.serveFirst()
    await missed({ ...job, expiredAt })
    // The client takes its money back; the fact is followed.
    await rail.pass(expiredAt)
    await rail.escrow.claimRefund(job.jobId)
    await rail.safe()
    for (let rounds = 0; rounds < 12; rounds++) await rail.round()
    const facts = new Set((await rail.facts(job.jobId)).map(({ fact }) => fact))
    expect([...facts].toSorted()).toEqual(["EXPIRY", "FUNDING", "REFUND"])
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
  })

  test("and a mandate that is revoked: the same", async () => {
    const job = await rail.funded()
    await rail.until(job.jobId, "FUNDING_SEEN")
    const { mandate_id } = job.request.buyer_mandate.payload
    await rail.server.store.run(() =>
      insertRevocation({
        ...{ organizationId: ORGANIZATION_ID, kind: "MANDATE", subjectId: mandate_id, signedByKeyId: mandateKey.keyId },
        ...{ contentDigest: digestOf(mandate_id), document: "{}", answer: "{}" },
        revokedAt: formatInstant(rail.machine.now()),
      }),
    )
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_SAFE")
    expect((await rail.job(job.jobId)).reason).toBe("MANDATE_REVOKED")
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.mineUntil(expiredAt - 59)
    await rail.chain.mine(SAFE_BLOCKS)
    await rail.until(job.jobId, "DEADLINE_MISSED")
    expect(await rowsOf(rail.server, job.request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
  })

  test("and serves again in time: the job goes on", async () => {
    const job = await rail.funded()
    rail.board.serveNothing()
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_SAFE")
    rail.board.serveFirst()
    await rail.until(job.jobId, "SUBMITTED")
  })
})

test("a job that nobody funds is withdrawn after a safe block past its deadline", async () => {
  const job = await rail.proposed()
  const { expiredAt } = await rail.escrow.read(job.jobId)
  await rail.mineUntil(expiredAt)
  await rail.look(job.jobId)
  expect((await rail.job(job.jobId)).state).toBe("BUDGET_PROPOSED")
  await rail.chain.mine(SAFE_BLOCKS)
  await rail.until(job.jobId, "WITHDRAWN")
  await quoteFor(rail.server, job.request)
})

describe("20 seconds before the deadline", () => {
  /** Frozen, and not posted: the hub is away until `left` seconds before the deadline. */
  async function postedLate(left: number) {
    const job = await rail.funded()
    await rail.until(job.jobId, "FUNDING_SEEN")
    await rail.safe()
    rail.hub.faults.away = true
    await rail.until(job.jobId, "DELIVERABLE_FROZEN")
    expect((await rail.job(job.jobId)).reason).toBe("HUB_UNAVAILABLE")
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.mineUntil(expiredAt - left)
    rail.hub.faults.away = false
    await rail.look(job.jobId)
    return { ...job, expiredAt }
  }

  test("with 20 seconds left it is posted and submitted", async () => {
    const { jobId } = await postedLate(20)
    await rail.until(jobId, "SUBMITTED")
    expect(await rail.escrow.submissions(jobId)).toEqual([keccak256(toHex(rail.hub.deliverables(jobId)[0] ?? ""))])
  })

  test("with 19 it is posted and not submitted: delivered without pay, and recovered all the same", async () => {
    const { jobId, request, expiredAt } = await postedLate(19)
    expect(await rail.job(jobId)).toMatchObject({ state: "DELIVERABLE_POSTED", reason: "DEADLINE_CLOSE" })
    await rail.pass(expiredAt)
    await rail.until(jobId, "UNPAID_AFTER_DELIVERY")
    expect(await rail.escrow.submissions(jobId)).toEqual([])
    expect(rail.hub.deliverables(jobId).length).toBe(1)
    expect((await rail.recover(request)).status).toBe(200)
    expect(((await (await rail.server.post(request)).json()) as { code: string }).code).toBe("ALREADY_ACQUIRED")
  })
})

test("a submission that no block takes before the deadline: delivered without pay, and the refund is a fact", async () => {
  const job = await rail.funded()
  await rail.safe()
  await rail.holdTransactions()
  await rail.until(job.jobId, "SUBMIT_PREPARED")
  const { expiredAt } = await rail.escrow.read(job.jobId)
  await rail.pass(expiredAt)
  await rail.until(job.jobId, "UNPAID_AFTER_DELIVERY")
  await rail.releaseTransactions()
  expect((await rail.recover(job.request)).status).toBe(200)
  await rail.round()
  expect(await rail.escrow.submissions(job.jobId)).toEqual([])
  await rail.escrow.claimRefund(job.jobId)
  await rail.safe()
  for (let rounds = 0; rounds < 12; rounds++) await rail.round()
  const facts = new Set((await rail.facts(job.jobId)).map(({ fact }) => fact))
  expect([...facts].toSorted()).toEqual(["EXPIRY", "FUNDING", "REFUND"])
})
