/** The hub only carries messages: whatever it does, the chain decides, the text is the same, and each sentence is said once. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { keccak256, toHex } from "viem"
import { DAY } from "../../src/core/time.ts"
import type { HubFaults } from "../fixtures/acp-hub.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { PROVIDER } from "../fixtures/job-worker.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { until } from "../fixtures/until.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterAll(() => rail.close())

const HONEST: HubFaults = {
  storesThenFails: false,
  repeatsAndReorders: false,
  silent: false,
  away: false,
  liesAboutAuthor: null,
  liesAboutStatus: false,
  hugeMessage: false,
  forgetsTokens: false,
  delayMs: 0,
}
const fault = (changes: Partial<HubFaults>) => Object.assign(rail.hub.faults, HONEST, changes)
afterEach(async () => {
  fault({})
  await rail.leaveJobs()
})

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await rail.round()
}

async function completed(job: BuyerJob): Promise<string> {
  await rail.escrow.fund(job.jobId)
  await rail.until(job.jobId, "FUNDING_SEEN")
  await rail.safe()
  await rail.until(job.jobId, "SUBMITTED")
  await rail.safe()
  await rail.until(job.jobId, "COMPLETED")
  const texts = [...new Set(rail.hub.deliverables(job.jobId))]
  expect(texts.length).toBe(1)
  expect(await rail.escrow.submissions(job.jobId)).toEqual([keccak256(toHex(texts[0] ?? ""))])
  return texts[0] ?? ""
}

test("it names only known jobs: they cost no question to the node", async () => {
  await rail.newJob()
  await rail.round()
  await rail.leaveJobs()
  rail.proxy.reset()
  await rail.round()
  const questions = rail.proxy.calls.map(({ method }) => method).toSorted()
  expect(questions).toEqual(["eth_getBlockByNumber", "eth_getBlockByNumber", "eth_getLogs"])
})

test("it stores a message or a deliverable and answers 504: nothing is said twice, and the same bytes are posted again", async () => {
  const job = await rail.proposed()
  const other = await rail.newJob({ description: "other" })
  await rail.escrow.fund(job.jobId)
  fault({ storesThenFails: true })
  await rounds(4)
  expect((await rail.job(other.jobId)).state).toBe("REFUSED")
  expect(rail.told(other.jobId)).toEqual(["JOB_TERMS"])
  expect(rail.told(job.jobId)).toEqual(["FUNDING_OBSERVED"])
  await rail.safe()
  await rounds(3)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "DELIVERABLE_FROZEN", reason: "HUB_UNAVAILABLE" })
  expect(await rail.escrow.submissions(job.jobId)).toEqual([])
  const [first = "", ...posted] = rail.hub.deliverables(job.jobId)
  expect(posted.length).toBeGreaterThan(0)
  expect(posted.every((text) => text === first)).toBe(true)
  fault({})
  await rail.until(job.jobId, "SUBMITTED")
  expect(await rail.escrow.submissions(job.jobId)).toEqual([keccak256(toHex(first))])
})

test("it repeats entries in another order: the earliest right requirement is the frozen one", async () => {
  const job = await rail.newJob()
  const later = await rail.newJob()
  fault({ repeatsAndReorders: true })
  rail.send(job, "{")
  rail.send(job, finalOf(job))
  rail.send(job, finalOf({ ...job, request: later.request }))
  await rail.until(job.jobId, "BUDGET_PROPOSED")
  expect((await rail.recover(job.request)).status).toBe(202)
  expect((await rail.recover(later.request)).status).toBe(404)
  expect(rail.told(job.jobId)).toEqual(["REQUIREMENT_NOT_JSON"])
  await completed(job)
})

describe("it lies", () => {
  test("about the author: with another's name nothing is read; with the client's name only a binding of the client's agent counts", async () => {
    const job = await rail.newJob()
    fault({ liesAboutAuthor: DEV_ACCOUNTS.stranger.address })
    rail.send(job, finalOf(job))
    await rounds(3)
    expect((await rail.job(job.jobId)).state).toBe("AWAITING_REQUIREMENT")
    fault({ liesAboutAuthor: job.client.address })
    const stranger = await rail.newJob({ client: DEV_ACCOUNTS.secondPayer })
    rail.hub.post(job.jobId, DEV_ACCOUNTS.stranger.address, JSON.stringify(finalOf(stranger)))
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    expect((await rail.recover(job.request)).status).toBe(202)
    expect((await rail.recover(stranger.request)).status).toBe(404)
  })

  test("about the state: a job is completed when the chain says so", async () => {
    fault({ liesAboutStatus: true })
    const job = await rail.proposed()
    rail.hub.system(job.jobId, "job.funded")
    rail.hub.system(job.jobId, "job.completed")
    await rounds(3)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PROPOSED", reason: "AWAITING_FUNDING" })
    expect(await rail.facts(job.jobId)).toEqual([])
    await completed(job)
  })

  test("about jobs: numbers beyond those of a contract stop no other job", async () => {
    for (const id of ["9".repeat(78), String(2n ** 256n), String(2n ** 256n - 1n)])
      rail.hub.openChat(id, [PROVIDER.address])
    await rail.proposed()
  })

  test("about jobs: one that is not on the chain, or another provider's, is not taken in", async () => {
    const { jobId } = await rail.newJob({ provider: DEV_ACCOUNTS.stranger.address })
    rail.hub.openChat("99999", [PROVIDER.address])
    await rounds(2)
    await expect(rail.job(jobId)).rejects.toThrow("does not know")
    await expect(rail.job("99999")).rejects.toThrow("does not know")
    rail.hub.closeChat("99999")
  })
})

test("a message of 10 MB is not read: the job waits, and goes on without it", async () => {
  const job = await rail.newJob()
  rail.send(job, finalOf(job))
  fault({ hugeMessage: true })
  await rounds(3)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "AWAITING_REQUIREMENT", reason: "HUB_UNAVAILABLE" })
  fault({})
  await completed(await rail.untilProposed(job))
})

test("it forgets its tokens: the worker signs in again", async () => {
  const job = await rail.newJob()
  rail.send(job, finalOf(job))
  const before = rail.hub.calls.get("POST auth") ?? 0
  fault({ forgetsTokens: true })
  await rail.until(job.jobId, "BUDGET_PROPOSED")
  expect((rail.hub.calls.get("POST auth") ?? 0) - before).toBe(1)
})

describe("its stream", () => {
  test("wakes the worker without waiting for the next look; a silent one only makes that later", async () => {
    const stopped = new AbortController()
    const woken: string[] = []
    const listening = rail.deps.hub.listen((jobId) => void woken.push(jobId), stopped.signal)
    const job = await rail.newJob()
    await until("the stream is open", () => (rail.hub.calls.get("GET chats") ?? 0) > 0)
    rail.send(job, finalOf(job))
    await until("the stream names the job", () => woken.includes(job.jobId))
    await rail.look(job.jobId)
    await rail.look(job.jobId)
    expect((await rail.job(job.jobId)).requirementDigest).not.toBeNull()
    fault({ silent: true })
    const quiet = await rail.proposed()
    expect(woken).not.toContain(quiet.jobId)
    stopped.abort()
    await listening
  })
})

test("it is away for a day: jobs are found in the logs alone, and what was frozen is posted when it is back", async () => {
  const frozen = await rail.funded()
  await rail.until(frozen.jobId, "FUNDING_SEEN")
  await rail.safe()
  fault({ away: true })
  await rail.until(frozen.jobId, "DELIVERABLE_FROZEN")
  expect((await rail.recover(frozen.request)).status).toBe(200)
  const job = await rail.newJob()
  const ended = await rail.newJob({ description: "other" })
  await rounds(2)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "AWAITING_REQUIREMENT", reason: "HUB_UNAVAILABLE" })
  expect((await rail.job(ended.jobId)).state).toBe("REFUSED")
  rail.machine.advance(DAY)
  await rail.alignClocks()
  await rail.safe()
  await rounds(3)
  expect((await rail.job(frozen.jobId)).state).toBe("UNPAID_AFTER_DELIVERY")
  expect((await rail.job(job.jobId)).state).toBe("WITHDRAWN")
  expect(rail.told(ended.jobId)).toEqual([])
  fault({})
  const next = await rail.proposed()
  await completed(next)
  expect((await rail.job(ended.jobId)).lookAt).toBeNull()
})
