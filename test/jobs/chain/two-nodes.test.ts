/** Two nodes: what one alone shows releases nothing and ends nothing, and the job goes on when they agree. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { encodeFunctionResult, type Hex, parseAbi, toHex } from "viem"
import type { AcpDeps } from "../../../src/jobs/deps.ts"
import { type BuyerJob, finalOf } from "../../fixtures/job-buyer.ts"
import { type JobRail, openJobRail, SAFE_BLOCKS } from "../../fixtures/job-rail.ts"
import { type RpcProxy, startRpcProxy } from "../../fixtures/rpc-proxy.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
let second: RpcProxy
let deps: AcpDeps
beforeAll(async () => {
  rail = await openJobRail()
  second = startRpcProxy(rail.chain.url)
  deps = rail.depsOf(rail.server, "worker-of-two-nodes", second.url)
})
afterEach(async () => {
  second.reset()
  await rail.leaveJobs()
})
afterAll(async () => {
  await second.stop()
  await rail.close()
})

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await rail.round(deps)
}

async function funded(): Promise<BuyerJob> {
  const job = await rail.newJob()
  rail.send(job, finalOf(job))
  await rail.until(job.jobId, "BUDGET_PROPOSED", deps)
  await rail.escrow.fund(job.jobId)
  return job
}

async function completed({ jobId }: BuyerJob): Promise<void> {
  await rail.safe()
  await rail.until(jobId, "SUBMITTED", deps)
  await rail.safe()
  await rail.until(jobId, "COMPLETED", deps)
  expect((await rail.escrow.submissions(jobId)).length).toBe(1)
}

const GET_JOB = parseAbi([
  "function getJob(uint256) view returns ((address client, uint8 status, address provider, uint48 expiredAt, address evaluator, address hook, uint256 budget, string description))",
])
const isGetJob = ([call]: readonly unknown[]) => (call as { data?: string }).data?.startsWith("0xbf22c457") === true

/** The job with another status, as a node would answer. */
async function jobWith(jobId: string, status: number): Promise<Hex> {
  const { address, read } = rail.escrow
  const job = (await read(jobId)) as never as Record<string, unknown>
  expect(address).toBeString()
  return encodeFunctionResult({ abi: GET_JOB, functionName: "getJob", result: { ...job, status } as never })
}

describe("a funding that the first node shows safe is not released while the second", () => {
  test.each<[string, (job: BuyerJob) => void | Promise<void>]>([
    ["does not answer", () => second.fault("*", { reject: true })],
    [
      "has an older safe block",
      async () => {
        const block = await rail.chain.publicClient.request({
          method: "eth_getBlockByNumber",
          params: [toHex(1), false],
        })
        second.fault("eth_getBlockByNumber", { when: ([tag]) => tag === "safe", result: block })
      },
    ],
    ["shows no event", () => second.fault("eth_getLogs", { result: [] })],
    ["shows no receipt", () => second.fault("eth_getTransactionReceipt", { result: null })],
    ["shows other code behind the proxy", () => second.fault("eth_getStorageAt", { result: toHex(1, { size: 32 }) })],
    ["shows no code", () => second.fault("eth_getCode", { result: "0x" })],
    [
      "shows an open job",
      async ({ jobId }) => second.fault("eth_call", { when: isGetJob, result: await jobWith(jobId, 0) }),
    ],
    [
      "shows a rejected job",
      async ({ jobId }) => second.fault("eth_call", { when: isGetJob, result: await jobWith(jobId, 4) }),
    ],
    ["answers nonsense", () => second.fault("eth_call", { result: "0x1234" })],
  ])("%s", async (_, fault) => {
    const job = await funded()
    await rail.safe()
    await fault(job)
    await rounds(3)
    expect(["BUDGET_PROPOSED", "FUNDING_SEEN"]).toContain((await rail.job(job.jobId)).state)
    expect(rail.hub.deliverables(job.jobId)).toEqual([])
    expect((await rail.recover(job.request)).status).toBe(202)
    second.reset()
    await completed(job)
  })
})

describe("one node alone ends nothing", () => {
  test("a rejection that only the second shows", async () => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    await rail.until(job.jobId, "BUDGET_PROPOSED", deps)
    second.fault("eth_call", { when: isGetJob, result: await jobWith(job.jobId, 4) })
    await rail.safe()
    await rounds(3)
    expect((await rail.job(job.jobId)).state).toBe("BUDGET_PROPOSED")
    second.reset()
    await rail.escrow.fund(job.jobId)
    await completed(job)
  })

  test("a deadline that only the first shows as passed", async () => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    await rail.until(job.jobId, "BUDGET_PROPOSED", deps)
    await rail.safe()
    const { expiredAt } = await rail.escrow.read(job.jobId)
    const block = await rail.chain.publicClient.request({ method: "eth_getBlockByNumber", params: ["safe", false] })
    const result = { ...block, timestamp: toHex(expiredAt) }
    rail.proxy.fault("eth_getBlockByNumber", { when: ([tag]) => tag === "safe", result })
    await rounds(3)
    expect((await rail.job(job.jobId)).state).toBe("BUDGET_PROPOSED")
    rail.proxy.reset()
    await rail.escrow.fund(job.jobId)
    await completed(job)
  })

  test("a mismatch that both show ends the purchase", async () => {
    const job = await funded()
    await rail.escrow.forgeFunding(job.jobId, 790_000n)
    await rail.safe()
    second.fault("eth_getLogs", { result: [] })
    await rounds(2)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PROPOSED", reason: "CHAIN_UNAVAILABLE" })
    second.reset()
    await rail.until(job.jobId, "FUNDING_MISMATCH", deps)
  })
})

describe("nodes that do not agree until the deadline: nothing is delivered, and the request is not locked for ever", () => {
  test.each([
    ["the first shows it safe", false],
    ["the first shows a second event", true],
  ])("%s, the second shows no event", async (_, isForged) => {
    const job = await funded()
    if (isForged) await rail.escrow.forgeFunding(job.jobId, 790_000n)
    second.fault("eth_getLogs", { result: [] })
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.pass(expiredAt)
    await rail.until(job.jobId, "DEADLINE_MISSED", deps)
    expect(rail.hub.deliverables(job.jobId)).toEqual([])
    expect((await rail.recover(job.request)).status).toBe(404)
  })
})

test("a submission that one node does not show is waited for, not sent again", async () => {
  const job = await funded()
  await rail.until(job.jobId, "FUNDING_SEEN", deps)
  await rail.safe()
  await rail.until(job.jobId, "SUBMITTED", deps)
  second.fault("eth_getLogs", { result: [] })
  await rail.chain.mine(SAFE_BLOCKS)
  await rounds(3)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "SUBMITTED", reason: "CHAIN_UNAVAILABLE" })
  second.reset()
  await rail.until(job.jobId, "COMPLETED", deps)
  expect((await rail.escrow.submissions(job.jobId)).length).toBe(1)
})
