/** A job up to a step of its worker, and all that must have happened to it once. */
import { expect } from "bun:test"
import { keccak256, toHex } from "viem"
import type { AcpDeps, JobStep } from "../../src/jobs/deps.ts"
import { rowsOf } from "../delivery/selling-bench.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import type { JobRail } from "../fixtures/job-rail.ts"

/** When the step comes: before the budget is proposed, or after the funding is safe. */
export const STEPS: readonly (readonly [JobStep, "BEFORE_BUDGET" | "AFTER_FUNDING"])[] = [
  ["recorded", "BEFORE_BUDGET"],
  ["requirement_frozen", "BEFORE_BUDGET"],
  ["action_stored", "BEFORE_BUDGET"],
  ["action_sent", "BEFORE_BUDGET"],
  ["funding_stored", "AFTER_FUNDING"],
  ["computed", "AFTER_FUNDING"],
  ["deliverable_frozen", "AFTER_FUNDING"],
  ["deliverable_posted", "AFTER_FUNDING"],
  ["action_stored", "AFTER_FUNDING"],
  ["action_sent", "AFTER_FUNDING"],
  ["submission_seen", "AFTER_FUNDING"],
]

/** A job that the worker under test looks at next. */
export async function upTo(rail: JobRail, when: (typeof STEPS)[number][1]): Promise<BuyerJob> {
  if (when === "BEFORE_BUDGET") {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    return job
  }
  const job = await rail.funded()
  await rail.until(job.jobId, "FUNDING_SEEN")
  await rail.safe()
  return job
}

/** Goes on to the end with another worker, and looks at everything that must have happened once. */
export async function finish(
  rail: JobRail,
  job: BuyerJob,
  { when, deps }: { readonly when: (typeof STEPS)[number][1]; readonly deps: AcpDeps },
): Promise<void> {
  const { jobId, request } = job
  if (when === "BEFORE_BUDGET") {
    expect(rail.hub.deliverables(jobId)).toEqual([])
    await rail.until(jobId, "BUDGET_PROPOSED", deps)
    await rail.escrow.fund(jobId)
    await rail.until(jobId, "FUNDING_SEEN", deps)
    expect((await rail.recover(request)).status).toBe(202)
    expect(rail.hub.deliverables(jobId)).toEqual([])
    await rail.safe()
  }
  await rail.until(jobId, "SUBMITTED", deps)
  await rail.safe()
  await rail.until(jobId, "COMPLETED", deps)
  await requireOnce(rail, job)
}

/** Everything that must have happened once to a completed job. */
export async function requireOnce(rail: JobRail, { jobId, request }: BuyerJob): Promise<void> {
  const texts = [...new Set(rail.hub.deliverables(jobId))]
  expect(texts.length).toBe(1)
  expect(await rail.escrow.submissions(jobId)).toEqual([keccak256(toHex(texts[0] ?? ""))])
  expect(await rail.escrow.budgets(jobId)).toEqual([790_000n])
  expect(await rowsOf(rail.server, request)).toMatchObject({ requests: 1, attempts: 0, computed: 0, delivered: 1 })
  const recovered = await rail.recover(request)
  expect([recovered.status, JSON.parse(texts[0] ?? "").response]).toEqual([200, JSON.parse(recovered.text)])
  const states = await rail.states(jobId)
  expect(new Set(states).size).toBe(states.length)
}
