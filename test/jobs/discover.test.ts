/** Jobs are found in the logs alone, after any outage; the terms are the contract's, also after a reorganization. The hub is away. */
import { afterAll, afterEach, beforeAll, expect } from "bun:test"
import { findAction } from "../../src/store/jobs/job-actions.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail, SAFE_BLOCKS } from "../fixtures/job-rail.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail({ hardfork: "cancun" })
  rail.hub.faults.away = true
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

const LONG_JOB = { seconds: 20_000 }

test("the first reading goes half an hour back", async () => {
  const older = await rail.newJob(LONG_JOB)
  await rail.chain.mine(1)
  const newer = await rail.newJob(LONG_JOB)
  // The safe block is then 900 blocks after that of the newer job.
  const block = await rail.chain.publicClient.getBlockNumber()
  await rail.chain.mine(900 + SAFE_BLOCKS)
  expect(await rail.chain.publicClient.getBlockNumber()).toBe(block + 900n + BigInt(SAFE_BLOCKS))
  await rail.round()
  expect((await rail.job(newer.jobId)).state).toBe("AWAITING_REQUIREMENT")
  await expect(rail.job(older.jobId)).rejects.toThrow("does not know")
})

test("after an outage of more blocks than a node answers at once every job is found", async () => {
  await rail.round()
  const jobs: string[] = []
  for (let more = 0; more < 3; more++) {
    jobs.push((await rail.newJob(LONG_JOB)).jobId)
    await rail.chain.mine(350)
  }
  await rail.round()
  for (const jobId of jobs) expect((await rail.job(jobId)).state).toBe("AWAITING_REQUIREMENT")
})

test("a job that a reorganization takes away and brings back goes on", async () => {
  const job = await rail.newJob()
  await rail.round()
  const [raw] = await rail.rawOfHead()
  await rail.chain.reorganize(1)
  await rail.round()
  expect(await rail.job(job.jobId)).toMatchObject({ state: "AWAITING_REQUIREMENT", reason: "AWAITING_SAFE_BLOCK" })
  // Safe blocks without it do not end it before its deadline: its transaction may still come.
  await rail.safe()
  await rail.round()
  await rail.chain.receiptOf(await rail.chain.sendUnmined(raw ?? "0x"))
  rail.hub.faults.away = false
  rail.send(job, finalOf(job))
  await rail.until(job.jobId, "BUDGET_PROPOSED")
  rail.hub.faults.away = true
})

test("a job whose number another client has after a reorganization is that client's", async () => {
  const first = await rail.newJob()
  await rail.round()
  expect((await rail.job(first.jobId)).client).toBe(DEV_ACCOUNTS.payer.address.toLowerCase())
  await rail.chain.reorganize(1)
  const second = await rail.newJob({ client: DEV_ACCOUNTS.secondPayer })
  expect(second.jobId).toBe(first.jobId)
  await rail.round()
  expect((await rail.job(second.jobId)).client).toBe(DEV_ACCOUNTS.secondPayer.address.toLowerCase())
  rail.hub.faults.away = false
  rail.send(first, finalOf(first))
  rail.send(second, finalOf(second))
  await rail.until(second.jobId, "BUDGET_PROPOSED")
  expect((await rail.recover(second.request)).status).toBe(202)
  expect((await rail.recover(first.request)).status).toBe(404)
})

test("a job that never comes back is withdrawn after its deadline", async () => {
  const job = await rail.newJob()
  await rail.round()
  const { expiredAt } = await rail.escrow.read(job.jobId)
  await rail.chain.reorganize(1)
  await rail.safe()
  await rail.round()
  expect((await rail.job(job.jobId)).state).toBe("AWAITING_REQUIREMENT")
  await rail.pass(expiredAt)
  await rail.until(job.jobId, "WITHDRAWN")
})

test("a number that a lost job had serves a later job", async () => {
  const before = await rail.chain.publicClient.getBlockNumber()
  const lost = await rail.newJob()
  rail.hub.faults.away = false
  rail.send(lost, finalOf(lost))
  await rail.until(lost.jobId, "BUDGET_PROPOSED")
  const { expiredAt } = await rail.escrow.read(lost.jobId)
  await rail.chain.reorganize(Number((await rail.chain.publicClient.getBlockNumber()) - before))
  await rail.pass(expiredAt)
  await rail.until(lost.jobId, "WITHDRAWN")
  const later = await rail.newJob({ client: DEV_ACCOUNTS.secondPayer })
  expect(later.jobId).toBe(lost.jobId)
  rail.send(later, finalOf(later))
  await rail.until(later.jobId, "BUDGET_PROPOSED")
  expect((await rail.recover(later.request)).status).toBe(202)
  rail.hub.faults.away = true
})

test("a number that a refused job had serves the job that a reorganization made of it", async () => {
  const refused = await rail.newJob({ description: "Another offering" })
  await rail.round()
  expect((await rail.job(refused.jobId)).state).toBe("REFUSED")
  await rail.chain.reorganize(1)
  const other = await rail.newJob({ client: DEV_ACCOUNTS.secondPayer })
  expect(other.jobId).toBe(refused.jobId)
  await rail.round()
  expect((await rail.job(other.jobId)).state).toBe("AWAITING_REQUIREMENT")
})

test("the budget of a job that a reorganization took away is sent no more", async () => {
  const before = await rail.chain.publicClient.getBlockNumber()
  const lost = await rail.newJob()
  rail.hub.faults.away = false
  rail.send(lost, finalOf(lost))
  await rail.holdTransactions()
  await rail.until(lost.jobId, "BUDGET_PREPARED")
  const { id } = await rail.job(lost.jobId)
  const { expiredAt } = await rail.escrow.read(lost.jobId)
  await rail.chain.reorganize(Number((await rail.chain.publicClient.getBlockNumber()) - before))
  await rail.pass(expiredAt)
  await rail.until(lost.jobId, "WITHDRAWN")
  const later = await rail.newJob({ client: DEV_ACCOUNTS.secondPayer })
  expect(later.jobId).toBe(lost.jobId)
  await rail.releaseTransactions()
  for (let rounds = 0; rounds < 3; rounds++) await rail.round()
  await rail.safe()
  for (let rounds = 0; rounds < 3; rounds++) await rail.round()
  const action = await rail.server.store.read(() => findAction(id, "SET_BUDGET"))
  expect(action?.state).toBe("REVERTED")
  expect(await rail.escrow.budgets(later.jobId)).toEqual([])
  rail.send(later, finalOf(later))
  await rail.until(later.jobId, "BUDGET_PROPOSED")
  expect(await rail.escrow.budgets(later.jobId)).toEqual([790_000n])
  rail.hub.faults.away = true
})
