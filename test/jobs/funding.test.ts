/** The funding: what is not in a safe block, or not what the offering asks for, releases nothing. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { findPurchase } from "../../src/store/sales/purchases.ts"
import { rowsOf } from "../delivery/selling-bench.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../fixtures/chain.ts"
import { JOB_PRICE } from "../fixtures/escrow.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
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

async function nothingReleased({ jobId, request }: BuyerJob): Promise<void> {
  expect(rail.hub.deliverables(jobId)).toEqual([])
  expect(await rail.escrow.submissions(jobId)).toEqual([])
  expect(await rowsOf(rail.server, request)).toMatchObject({ delivered: 0 })
}

/** The purchase ended without an answer, and the same request gets a quote. */
async function sellableAgain({ jobId, request }: BuyerJob): Promise<void> {
  await nothingReleased({ jobId, request } as BuyerJob)
  const { id } = await rail.job(jobId)
  expect(await rail.server.store.read(() => findPurchase(id))).toMatchObject({ state: "ENDED", reference: null })
  expect(await rowsOf(rail.server, request)).toMatchObject({ computed: 0, delivered: 0, holds: 0 })
  expect((await rail.recover(request)).status).toBe(404)
  await quoteFor(rail.server, request)
}

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await rail.round()
}

describe("a forged funding", () => {
  test("without a transfer, while the contract holds nothing: waits", async () => {
    const job = await rail.proposed()
    await rail.escrow.forgeFunding(job.jobId, JOB_PRICE)
    await rail.safe()
    await rounds(3)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PROPOSED", reason: "ESCROW_BALANCE_LOW" })
    expect(rail.told(job.jobId)).toEqual(["ESCROW_BALANCE_LOW"])
    await nothingReleased(job)
    // Now another job's money is there.
    await rail.chain.mint(rail.escrow.address, JOB_PRICE)
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_MISMATCH")
    await rounds(2)
    expect(rail.told(job.jobId)).toEqual(["ESCROW_BALANCE_LOW", "FUNDING_MISMATCH"])
    await sellableAgain(job)
    expect(await rail.facts(job.jobId)).toEqual([])
  })

  test("a second event: the job is never delivered, and its client is told once", async () => {
    const job = await rail.funded()
    await rail.escrow.forgeFunding(job.jobId, JOB_PRICE)
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_MISMATCH")
    await rounds(2)
    expect(rail.told(job.jobId)).toEqual(["FUNDING_MISMATCH"])
    await sellableAgain(job)
  })

  test("of another amount, which the contract holds", async () => {
    const job = await rail.proposed()
    await rail.chain.mint(rail.escrow.address, JOB_PRICE + 1n)
    await rail.escrow.forgeFunding(job.jobId, JOB_PRICE + 1n)
    await rail.safe()
    await rounds(3)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PROPOSED", reason: "BUDGET_DIFFERS" })
    await nothingReleased(job)
  })

  test("the contract takes no other amount than the budget", async () => {
    const job = await rail.proposed()
    await expect(rail.escrow.fund(job.jobId, { amount: 1n })).rejects.toThrow()
  })
})

describe("a contract in another state is waited for, and told once", () => {
  test.each([
    ["PAUSED", () => rail.escrow.setPaused(true), () => rail.escrow.setPaused(false)],
    [
      "IMPLEMENTATION_UNKNOWN",
      () => rail.escrow.upgrade(rail.escrow.otherImplementation),
      () => rail.escrow.upgrade(rail.escrow.implementation),
    ],
    [
      "TOKEN_DIFFERS",
      () => rail.escrow.setToken(DEV_ACCOUNTS.stranger.address),
      () => rail.escrow.setToken(USDC_ADDRESS),
    ],
  ] as const)("%s", async (reason, change, back) => {
    const job = await rail.funded()
    await change()
    await rail.safe()
    await rounds(4)
    expect((await rail.job(job.jobId)).reason).toBe(reason)
    await nothingReleased(job)
    await back()
    await rail.safe()
    await rail.until(job.jobId, "SUBMITTED")
    await rail.safe()
    await rail.until(job.jobId, "COMPLETED")
    expect(rail.told(job.jobId).filter((code) => code === reason)).toEqual([reason])
  })
})

test("a contract that is paused at the head, and not yet at the safe block, would not take the submission", async () => {
  const job = await rail.funded()
  await rail.until(job.jobId, "FUNDING_SEEN")
  await rail.safe()
  await rail.escrow.setPaused(true)
  await rounds(2)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "DECISION_READY", reason: "SUBMIT_WOULD_FAIL" })
  await nothingReleased(job)
  await rail.escrow.setPaused(false)
  await rail.until(job.jobId, "SUBMITTED")
})

describe("a reorganization", () => {
  test("takes the funding away and brings it back; nobody is asked to fund again", async () => {
    const job = await rail.funded()
    const raw = await rail.rawOf(job.funding)
    await rail.until(job.jobId, "FUNDING_SEEN")
    await rail.chain.reorganize(1)
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    await rail.chain.mine(SAFE_BLOCKS)
    await rounds(2)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PROPOSED", reason: "AWAITING_FUNDING" })
    await nothingReleased(job)
    await rail.chain.receiptOf(await rail.chain.sendUnmined(raw))
    await rail.safe()
    await rail.until(job.jobId, "SUBMITTED")
    await rail.safe()
    await rail.until(job.jobId, "COMPLETED")
    expect(rail.told(job.jobId)).toEqual(["FUNDING_OBSERVED"])
    const funding = (await rail.facts(job.jobId)).filter(({ fact }) => fact === "FUNDING")
    expect(new Set(funding.map(({ level }) => level)).has("ORPHANED")).toBe(true)
    expect(new Set(funding.map(({ txHash }) => txHash))).toEqual(new Set([job.funding]))
  })
})

describe("the client rejects", () => {
  test("before it sends a requirement", async () => {
    const job = await rail.newJob()
    await rail.round()
    await rail.escrow.reject(job.jobId, job.client)
    await rounds(2)
    expect((await rail.job(job.jobId)).reason).toBe("AWAITING_SAFE_BLOCK")
    await rail.safe()
    await rail.until(job.jobId, "WITHDRAWN")
  })

  test("before it funds: only a safe block ends the purchase", async () => {
    const job = await rail.proposed()
    await rail.escrow.reject(job.jobId, job.client)
    await rounds(2)
    expect((await rail.job(job.jobId)).state).toBe("BUDGET_PROPOSED")
    expect((await rail.recover(job.request)).status).toBe(202)
    await rail.safe()
    await rail.until(job.jobId, "WITHDRAWN")
    await sellableAgain(job)
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
  })

  test("after it funded, before the funding is safe", async () => {
    const job = await rail.funded()
    await rail.until(job.jobId, "FUNDING_SEEN")
    await rail.escrow.reject(job.jobId, job.client)
    await rail.safe()
    await rail.until(job.jobId, "WITHDRAWN")
    await sellableAgain(job)
    const facts = new Set((await rail.facts(job.jobId)).map(({ fact }) => fact))
    expect([...facts].toSorted()).toEqual(["FUNDING", "REFUND", "REJECTION"])
  })

  test("after the funding is safe, while the lists fail", async () => {
    const job = await rail.funded()
    rail.board.serveNothing()
    await rail.safe()
    await rail.until(job.jobId, "FUNDING_SAFE")
    expect((await rail.job(job.jobId)).reason).toBe("SOURCE_STALE")
    await rail.escrow.reject(job.jobId, job.client)
    await rail.safe()
    rail.board.serveFirst()
    await rail.until(job.jobId, "WITHDRAWN")
    await sellableAgain(job)
  })
})

describe("a client funds its job by nothing before a budget is set", () => {
  test.each(["AWAITING_REQUIREMENT", "BUDGET_PREPARED"] as const)(
    "in %s: followed until the deadline",
    async (state) => {
      const job = await rail.newJob()
      await rail.until(job.jobId, "AWAITING_REQUIREMENT")
      if (state === "BUDGET_PREPARED") {
        await rail.holdTransactions()
        rail.send(job, finalOf(job))
        await rail.until(job.jobId, state)
      }
      await rail.escrow.fund(job.jobId, { amount: 0n })
      await rail.releaseTransactions()
      await rail.safe()
      await rounds(3)
      expect(await rail.job(job.jobId)).toMatchObject({ state, reason: "AWAITING_SAFE_BLOCK" })
      await rail.pass((await rail.escrow.read(job.jobId)).expiredAt)
      await rail.until(job.jobId, "WITHDRAWN")
      expect(await rail.escrow.budgets(job.jobId)).toEqual([])
      if (state === "BUDGET_PREPARED") await sellableAgain(job)
    },
  )
})

test("the requirement is signed again for another job after the first is withdrawn", async () => {
  const first = await rail.proposed()
  await rail.escrow.reject(first.jobId, first.client)
  await rail.safe()
  await rail.until(first.jobId, "WITHDRAWN")
  const second = await rail.newJob({ request: first.request })
  rail.send(second, finalOf(second))
  await rail.until(second.jobId, "BUDGET_PROPOSED")
})
