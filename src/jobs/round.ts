/** One round of the worker: find jobs, poll those that are due, maintain the wallet's transactions. */

import { concurrently } from "../base/concurrently.ts"
import { bugFields } from "../base/log.ts"
import { every } from "../base/machine.ts"
import { DAY, formatInstant, instant } from "../core/time.ts"
import { RpcUnavailable } from "../payments/rpc.ts"
import { StoreUnavailable } from "../store/engine/store-error.ts"
import type { Unit } from "../store/engine/unit.ts"
import { dropJobLease, planPoll, renewJobLease, takeDueJobs } from "../store/jobs/job-leases.ts"
import { finishJob } from "../store/jobs/job-moves.ts"
import { findJob, isReplaceable, type Job, type JobState, recordSuccessor } from "../store/jobs/jobs.ts"
import { takeAfterStray, turn } from "../store/stray-leases.ts"
import { awaitRequirement } from "./await-requirement.ts"
import { checkTerms } from "./check-terms.ts"
import { decideJob } from "./decide-job.ts"
import { type AcpDeps, jobLease } from "./deps.ts"
import { discoverAtHub, discoverOnChain } from "./discover.ts"
import { followFunding } from "./follow-funding.ts"
import { followOutcome, recordFacts } from "./follow-outcome.ts"
import { freezeDeliverable } from "./freeze-deliverable.ts"
import { postDeliverable } from "./post-deliverable.ts"
import { postNotices } from "./post-notices.ts"
import { proposeBudget } from "./propose-budget.ts"
import { maintainActions } from "./provider-actions.ts"
import { reviveIfUnserved, serveAgain } from "./serve-again.ts"
import { ENDED, LOST, type Next, wait } from "./step.ts"
import { submitDeliverable } from "./submit-deliverable.ts"
import { successorOf } from "./successor.ts"
import { POLL_AHEAD_MS_MAX, POLL_MS } from "./terms.ts"

/** Jobs in work at one time in one process. */
const JOBS_CONCURRENTLY = 8
/** Moves of one job in one round. The machine has fewer states. */
const MOVES_MAX = 32
/** A hub that is away for longer gets the messages of an ended job no more. */
const NOTICE_MS_MAX = DAY

type Step = (deps: AcpDeps, job: Job) => Promise<Next>

/** Nothing is left to do but to post what is not posted yet. */
const ended: Step = async () => ENDED

/** Money may have moved although nothing is left to do: a refund, or the pay for another submission. */
const lastFacts: Step = async (deps, job) => {
  await recordFacts(deps, job)
  return ENDED
}

const STEPS: Readonly<Record<JobState, Step>> = {
  SEEN: checkTerms,
  AWAITING_REQUIREMENT: awaitRequirement,
  REQUIREMENT_VERIFIED: proposeBudget,
  BUDGET_PREPARED: proposeBudget,
  BUDGET_PROPOSED: followFunding,
  FUNDING_SEEN: followFunding,
  FUNDING_SAFE: decideJob,
  DECISION_READY: freezeDeliverable,
  DELIVERABLE_FROZEN: postDeliverable,
  DELIVERABLE_POSTED: submitDeliverable,
  SUBMIT_PREPARED: submitDeliverable,
  SUBMITTED: submitDeliverable,
  SUBMITTED_SAFE: followOutcome,
  DEADLINE_MISSED: followOutcome,
  FUNDING_MISMATCH: followOutcome,
  UNPAID_AFTER_DELIVERY: followOutcome,
  COMPLETED: ended,
  REJECTED: ended,
  EXPIRED: ended,
  REFUSED: ended,
  WITHDRAWN: lastFacts,
  SUBMIT_MISMATCH: lastFacts,
}

/** A move into one of these states changed what the chain shows about money. */
const MONEY_STATES: ReadonlySet<JobState> = new Set(["FUNDING_SEEN", "FUNDING_SAFE", "SUBMITTED", "SUBMITTED_SAFE"])

/**
 * Never throws for a node or the hub that does not answer: the next round asks again. `asksHub`: the hub is asked for jobs too, which only
 * finds them sooner.
 */
export async function workRound(deps: AcpDeps, asksHub = true): Promise<void> {
  await isolate(deps, () => discoverOnChain(deps))
  if (asksHub) await isolate(deps, () => discoverAtHub(deps))
  await workOnDueJobs(deps)
  await isolate(deps, () => maintainActions(deps))
}

/** A fault in one part of a round must not stop the jobs that are under way. */
async function isolate({ log }: AcpDeps, part: () => Promise<void>): Promise<void> {
  try {
    await unlessUnavailable(part)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    log.error("acp_round_failed", bugFields(error))
  }
}

export async function workOnDueJobs(deps: AcpDeps): Promise<void> {
  const { store, machine, owner, leaseMs, strayLeases } = deps
  const at = machine.now()
  const now = formatInstant(at)
  const horizon = formatInstant(at + 2 * (POLL_AHEAD_MS_MAX + leaseMs))
  const due = await takeAfterStray(store, strayLeases, {
    drop: (id) => dropJobLease(id, owner, now),
    take: () => takeDueJobs(jobLease(deps), now, horizon),
  })
  await concurrently(due, JOBS_CONCURRENTLY, (job) => turn(strayLeases, job.id, () => workOn(deps, job)))
}

async function unlessUnavailable(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask()
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
  }
}

/** Takes a leased job as far as it goes now, then releases it. */
async function workOn(deps: AcpDeps, job: Job): Promise<void> {
  const { store, machine, log, leaseMs } = deps
  const stopRenewing = every(machine, Math.max(50, leaseMs / 3), () => {
    // Ignore a failed renewal: the next conditional update then changes no row.
    store.run(() => renewJobLease(job.id, jobLease(deps))).catch(() => undefined)
  })
  let next: Next
  try {
    next = await resume(deps, job)
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    log.error("acp_job_failed", { job: job.jobId, state: job.state, ...bugFields(error) })
    next = wait(POLL_MS.facts, "INTERNAL_ERROR")
  } finally {
    stopRenewing()
  }
  if (next.kind !== "LOST") await release(deps, job, next)
}

/** Posts what is queued, and plans the next poll. */
async function release(deps: AcpDeps, { id }: Job, next: Next): Promise<void> {
  const { store, machine, owner } = deps
  const job = await store.read(() => findJob(id))
  if (job === null || job.leaseOwner !== owner) return
  const now = machine.now()
  const isLate = now - instant(job.updatedAt) > NOTICE_MS_MAX
  // The chat of a replaced job is that of the later job.
  const isPosted = job.replacedAt !== null || (await postNotices(deps, job)) || isLate
  if (next.kind === "ENDED" && isPosted && (await endJob(deps, job))) {
    if (next.isServed) await reviveIfUnserved(deps, job)
    return
  }
  const afterMs = next.kind === "WAIT" && isPosted ? next.afterMs : POLL_MS.hub
  const reason = next.kind === "WAIT" ? next.reason : job.reason
  const lookAt = formatInstant(machine.now() + Math.min(afterMs, POLL_AHEAD_MS_MAX))
  await store.run(() => planPoll(id, owner, lookAt, reason))
}

/** Ends the polls of the job, and takes in the job that has its number now. False: a node does not answer, so poll again. */
async function endJob(deps: AcpDeps, job: Job): Promise<boolean> {
  const { store, machine, owner } = deps
  try {
    const successor = isReplaceable(job) ? await successorOf(deps, job) : null
    await store.run(function* (): Unit<void> {
      if (!(yield* finishJob(job, owner, formatInstant(machine.now())))) return
      if (successor !== null) yield* recordSuccessor(job.id, successor)
    })
    return true
  } catch (error) {
    if (error instanceof RpcUnavailable) return false
    throw error
  }
}

/** Steps until the job waits, ends or is lost. */
async function resume(deps: AcpDeps, given: Job): Promise<Next> {
  let job = given
  for (let moves = 0; moves < MOVES_MAX; moves++) {
    const next = await takeStep(deps, job)
    if (next.kind !== "MOVED") {
      const isServed = next.kind === "LOST" || (await serveAgain(deps, job))
      return next.kind === "ENDED" ? { ...next, isServed } : next
    }
    const moved = await deps.store.read(() => findJob(job.id))
    if (moved === null || moved.leaseOwner !== deps.owner) return LOST
    job = moved
    if (MONEY_STATES.has(job.state)) await unlessUnavailable(() => recordFacts(deps, job))
  }
  return wait(POLL_MS.chain, "MANY_MOVES")
}

async function takeStep(deps: AcpDeps, job: Job): Promise<Next> {
  try {
    return await STEPS[job.state](deps, job)
  } catch (error) {
    if (error instanceof RpcUnavailable) return wait(POLL_MS.chain, "CHAIN_UNAVAILABLE")
    throw error
  }
}
