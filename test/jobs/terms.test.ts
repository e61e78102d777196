/** Before the budget: the job's own terms, and the messages that change nothing. Every row ends without a budget. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import { signWith } from "../../src/core/ed25519.ts"
import { jobBinding, jobBindingBytes } from "../../src/core/jobs/job-binding.ts"
import { SECOND } from "../../src/core/time.ts"
import { PUBLISHED_IBANS } from "../fixtures/bank-data.ts"
import { agentKey, testKey } from "../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import type { NewJob } from "../fixtures/escrow.ts"
import { actualJob, type BuyerJob, draftOf, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { PROVIDER } from "../fixtures/job-worker.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

describe("a job with other terms is refused, and its client is told once", () => {
  test.each<[string, string, (rail: JobRail) => Partial<NewJob>]>([
    ["another description", "JOB_TERMS", () => ({ description: "Payment decision" })],
    ["a hook", "JOB_TERMS", ({ escrow }) => ({ hook: escrow.hook })],
    ["an end in two days", "JOB_TERMS", () => ({ seconds: 2 * 86_400 })],
    ["an evaluator", "EVALUATOR_UNAVAILABLE", () => ({ evaluator: DEV_ACCOUNTS.payer.address })],
    ["a close deadline", "DEADLINE_TOO_CLOSE", () => ({ seconds: 350 })],
  ])("%s: %s", async (_, code, change) => {
    const job = await rail.newJob(change(rail))
    rail.send(job, finalOf(job))
    await rail.until(job.jobId, "REFUSED")
    for (let more = 0; more < 3; more++) await rail.round()
    expect(rail.told(job.jobId)).toEqual([code])
    expect(await rail.escrow.budgets(job.jobId)).toEqual([])
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
    expect((await rail.recover(job.request)).status).toBe(404)
    // The request is not used up.
    await rail.proposed({ request: job.request })
  })

  test("the twenty-first job of a client that waits for a requirement", async () => {
    const client = DEV_ACCOUNTS.stranger
    const jobs: BuyerJob[] = []
    for (let one = 0; one < 21; one++) jobs.push(await rail.newJob({ client }))
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    const states = await Promise.all(jobs.map(async ({ jobId }) => (await rail.job(jobId)).state))
    expect(states.filter((state) => state === "AWAITING_REQUIREMENT").length).toBe(20)
    expect(states.filter((state) => state === "REFUSED").length).toBe(1)
  })

  test("a job of another provider is not taken in", async () => {
    const { jobId } = await rail.newJob({ provider: DEV_ACCOUNTS.stranger.address })
    await rail.round()
    await expect(rail.job(jobId)).rejects.toThrow("does not know")
  })
})

describe("360 seconds before the deadline", () => {
  test.each([
    [360, "BUDGET_PROPOSED"],
    [359, "REFUSED"],
  ] as const)("%i seconds left: %s", async (left, state) => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    const { expiredAt } = await rail.escrow.read(job.jobId)
    await rail.chain.setNextBlockTimestamp(expiredAt - left)
    await rail.chain.mine(1)
    await rail.look(job.jobId)
    expect((await rail.job(job.jobId)).state === "REFUSED").toBe(state === "REFUSED")
    await rail.until(job.jobId, state)
    expect((await rail.escrow.budgets(job.jobId)).length).toBe(state === "REFUSED" ? 0 : 1)
    rail.machine.advance(left * SECOND)
  })
})

/** Signs a requirement that the signing module refuses to sign. */
function signed(job: BuyerJob, changes: Partial<AcpRequirement>, jobId = job.jobId, key = agentKey): AcpRequirement {
  const requirement = { ...draftOf(job.request), ...changes } as AcpRequirement
  const bytes = jobBindingBytes(jobBinding(requirement, actualJob(jobId, job.client.address)))
  return { ...requirement, buyer_authorization: { algorithm: "Ed25519", signature: signWith(key.privateKey, bytes) } }
}

const payer = { decision_fee_payer: DEV_ACCOUNTS.payer.address }
const fresh = (changes: object) => freshRequest({ at: rail.machine.now(), request: { ...payer, ...changes } })

/** What is sent, and what the buyer is told of it. */
const IGNORED: readonly (readonly [string, string | null, (job: BuyerJob) => unknown])[] = [
  ["a draft", null, ({ request }) => draftOf(request)],
  ["no JSON", "REQUIREMENT_NOT_JSON", () => "{"],
  [
    "a member twice",
    "REQUIREMENT_NOT_JSON",
    (job) => JSON.stringify(finalOf(job)).replace("{", '{"envelope_version":4,'),
  ],
  ["another version", "REQUIREMENT_SCHEMA", (job) => ({ ...finalOf(job), envelope_version: 3 })],
  ["a further member", "REQUIREMENT_SCHEMA", (job) => ({ ...finalOf(job), note: "" })],
  ["a price of its own", "REQUIREMENT_SCHEMA", (job) => ({ ...finalOf(job), purchase: { price_atomic: "1" } })],
  ["65 KiB", "REQUIREMENT_TOO_LARGE", (job) => JSON.stringify(finalOf(job)).padEnd(65 * 1024)],
  [
    "bank data",
    "RAW_BANK_DATA",
    (job) => signed({ ...job, request: fresh({ economic_purpose: `pay ${PUBLISHED_IBANS[0]}` }) }, {}),
  ],
  [
    "another offering",
    "OFFERING_DIFFERS",
    (job) => finalOf(job, { offering: { ...draftOf(job.request).offering, id: "offering-2" } }),
  ],
  ["another channel", "OFFERING_DIFFERS", (job) => finalOf(job, { channel: "acp2" })],
  [
    "another contract",
    "OFFERING_DIFFERS",
    (job) => finalOf(job, { offering: { ...draftOf(job.request).offering, escrow_contract: `0x${"11".repeat(20)}` } }),
  ],
  [
    "another request under the signature",
    "BINDING_INVALID",
    (job) => ({ ...finalOf(job), request: fresh({ amount: "1.00" }) }),
  ],
  ["the binding of another job", "BINDING_INVALID", (job) => signed(job, {}, String(Number(job.jobId) + 1))],
  [
    "another payer in the request",
    "BINDING_INVALID",
    (job) => signed({ ...job, request: fresh({ decision_fee_payer: DEV_ACCOUNTS.stranger.address }) }, {}),
  ],
  ["another key", "BINDING_INVALID", (job) => signed(job, {}, job.jobId, testKey("x", 70))],
  [
    "a key that nobody enrolled",
    "BINDING_INVALID",
    (job) => {
      const agent = testKey("x", 71)
      const request = freshRequest({ at: rail.machine.now(), agent, request: payer })
      return finalOf({ ...job, request }, {}, agent)
    },
  ],
]

describe("a message that is no requirement of the job is ignored, and the right one is taken after it", () => {
  test.each(IGNORED)("%s: %p", async (_, code, message) => {
    const job = await rail.newJob()
    rail.send(job, message(job))
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    expect((await rail.job(job.jobId)).state).toBe("AWAITING_REQUIREMENT")
    expect(rail.told(job.jobId)).toEqual(code === null ? [] : [code])
    // The buyer learns what to sign instead.
    const [notice = ""] = rail.hub.said(job.jobId, PROVIDER.address)
    expect(notice.includes("/v1/agent/signed-forms#JOB_BINDING")).toBe(code === "BINDING_INVALID")
    expect(await rail.escrow.budgets(job.jobId)).toEqual([])
    rail.send(job, finalOf(job))
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    expect(await rail.escrow.budgets(job.jobId)).toEqual([790_000n])
  })

  test("the right one from another author, or of another content type", async () => {
    const job = await rail.newJob()
    const text = JSON.stringify(finalOf(job))
    rail.hub.post(job.jobId, DEV_ACCOUNTS.stranger.address, text)
    rail.hub.post(job.jobId, job.client.address, text, "text")
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    expect((await rail.job(job.jobId)).state).toBe("AWAITING_REQUIREMENT")
    expect(rail.told(job.jobId)).toEqual([])
    rail.send(job, text)
    await rail.until(job.jobId, "BUDGET_PROPOSED")
  })

  test("the first right one is frozen; a later one with another request changes nothing", async () => {
    const job = await rail.newJob()
    const other = fresh({})
    rail.send(job, finalOf(job))
    rail.send(job, finalOf({ ...job, request: other }))
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    expect((await rail.job(job.jobId)).requirementDigest).not.toBeNull()
    expect((await rail.recover(job.request)).status).toBe(202)
    expect((await rail.recover(other)).status).toBe(404)
  })

  test("a hundred messages; then no further one is read", async () => {
    const job = await rail.newJob()
    for (let one = 0; one < 100; one++) rail.send(job, `{${one}`)
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    rail.send(job, finalOf(job))
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    expect(await rail.job(job.jobId)).toMatchObject({ state: "AWAITING_REQUIREMENT", reason: "TOO_MANY_MESSAGES" })
    expect(rail.told(job.jobId)).toEqual(["REQUIREMENT_NOT_JSON"])
  })
})
