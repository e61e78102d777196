/**
 * A worker dies, or sleeps and wakes up, right after each durable step: the job is decided once, delivered as the same text, submitted once,
 * and nothing is released before its funding is safe.
 */
import { afterAll, afterEach, beforeAll, describe, expect, spyOn } from "bun:test"
import { join } from "node:path"
import { MINUTE } from "../../src/core/time.ts"
import type { AcpDeps } from "../../src/jobs/deps.ts"
import { workOnDueJobs, workRound } from "../../src/jobs/round.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { JobState } from "../../src/store/jobs/jobs.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import type { JobProcess } from "../fixtures/job-process.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { howMany, sample } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import type { TestServer } from "../fixtures/test-server.ts"
import { finish, requireOnce, STEPS, upTo } from "./acted-once.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
let other: TestServer
beforeAll(async () => {
  rail = await openJobRail()
  other = await rail.openServer()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

describe("a worker sleeps after a step, another finishes the job, and the first wakes up", () => {
  test.each(STEPS)("%s, %s", async (step, when) => {
    const job = await upTo(rail, when)
    const asleep = Promise.withResolvers<void>()
    const wakes = Promise.withResolvers<void>()
    const sleeper: AcpDeps = {
      ...rail.deps,
      owner: `sleeper-${job.jobId}`,
      trace: async (at) => {
        if (at !== step) return
        asleep.resolve()
        await wakes.promise
      },
    }
    rail.machine.advance(10_000)
    let working = workRound(sleeper)
    for (let rounds = 0; rounds < 5; rounds++) {
      const isAsleep = await Promise.race([asleep.promise.then(() => true), working.then(() => false)])
      if (isAsleep) break
      rail.machine.advance(10_000)
      working = workRound(sleeper)
    }
    await asleep.promise
    // Past the lease of the sleeper.
    rail.machine.advance(MINUTE)
    await finish(rail, job, { when, deps: rail.depsOf(other, `worker-2-${job.jobId}`) })
    wakes.resolve()
    await working
    for (let rounds = 0; rounds < 2; rounds++) await rail.round()
    await rail.safe()
    await requireOnce(rail, job)
    expect((await rail.job(job.jobId)).state).toBe("COMPLETED")
  })
})

test("two workers look at the same jobs at the same time", async () => {
  const second = rail.depsOf(other, "worker-2")
  const both = () => Promise.all([rail.round(), rail.round(second)])
  const jobs: BuyerJob[] = []
  for (let more = 0; more < 4; more++) jobs.push(await rail.newJob())
  for (const job of jobs) rail.send(job, finalOf(job))
  for (let rounds = 0; rounds < 4; rounds++) await both()
  for (const job of jobs) await rail.escrow.fund(job.jobId)
  await both()
  await rail.safe()
  for (let rounds = 0; rounds < 4; rounds++) await both()
  await rail.safe()
  for (let rounds = 0; rounds < 3; rounds++) await both()
  for (const job of jobs) {
    expect((await rail.job(job.jobId)).state).toBe("COMPLETED")
    await requireOnce(rail, job)
  }
})

test("a worker that fails once after every step finishes the job", async () => {
  const failed = new Set<string>()
  const failing: AcpDeps = {
    ...rail.deps,
    owner: "failing",
    trace: (step) => {
      if (failed.has(step)) return
      failed.add(step)
      throw new Error(`failed after ${step}`)
    },
  }
  const job = await upTo(rail, "BEFORE_BUDGET")
  const goOn = async (state: JobState) => {
    for (let rounds = 0; rounds < 20; rounds++) {
      rail.machine.advance(MINUTE / 2)
      await workRound(failing)
      if ((await rail.job(job.jobId).catch(() => null))?.state === state) return
    }
    throw new Error(`never ${state}`)
  }
  await goOn("BUDGET_PROPOSED")
  await rail.escrow.fund(job.jobId)
  await goOn("FUNDING_SEEN")
  await rail.safe()
  await goOn("SUBMITTED")
  await rail.safe()
  await goOn("COMPLETED")
  expect([...failed].toSorted()).toEqual([...new Set(STEPS.map(([step]) => step))].toSorted())
  await requireOnce(rail, job)
})

test("a worker that a fault of the database stopped takes its jobs again in the next round", async () => {
  const job = await upTo(rail, "BEFORE_BUDGET")
  await rail.round()
  rail.machine.advance(MINUTE / 2)
  const unreadable = spyOn(rail.deps.store, "read").mockRejectedValue(new StoreUnavailable("BUSY"))
  await expect(workOnDueJobs(rail.deps)).rejects.toThrow(StoreUnavailable)
  unreadable.mockRestore()
  expect((await rail.job(job.jobId)).leaseOwner).toBe(rail.deps.owner)
  await workOnDueJobs(rail.deps)
  expect((await rail.job(job.jobId)).leaseOwner).toBeNull()
})

const LEASE_MS = 5_000
const killed = sample(STEPS, 3)

describe(`a process is killed after a step, ${howMany(STEPS.length, killed.length)}`, () => {
  test.each(killed)("%s, %s", async (killAt, when) => {
    const job = await upTo(rail, when)
    const given: JobProcess = {
      database: rail.database.address,
      rpcUrl: rail.proxy.url,
      hubUrl: rail.hub.url,
      implementation: rail.escrow.implementation,
      leaseMs: LEASE_MS,
      aheadMs: rail.machine.now() - Date.now() + 10_000,
      killAt,
    }
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/job-process.ts")], {
      stdin: new TextEncoder().encode(JSON.stringify(given)),
      stdout: "ignore",
      stderr: "inherit",
    })
    await child.exited
    expect(child.signalCode).toBe("SIGKILL")
    // The restarted worker comes after the lease of the dead one.
    rail.machine.advance(2 * MINUTE)
    await finish(rail, job, { when, deps: rail.deps })
  })
})
