/** Checks the terms of a job before anything is read in its chat. */
import { ACP_OFFERING_NAME } from "../../schemas/acp/terms.ts"
import { formatInstant } from "../core/time.ts"
import { correctTerms } from "../store/jobs/job-moves.ts"
import { countWaitingBefore, type Job } from "../store/jobs/jobs.ts"
import { type EscrowJob, readJob } from "./chain/escrow-job.ts"
import { newestHead, secondsLeft } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { endOfJob, isSameJob } from "./end-of-job.ts"
import { change, LOST, MOVED, type Next, wait } from "./step.ts"
import { JOB_SECONDS_MAX, POLL_MS, PROPOSE_SECONDS_MIN, WAITING_JOBS_MAX } from "./terms.ts"

/** Addresses are in lower case. */
export const NO_ADDRESS = `0x${"0".repeat(40)}`

export interface Refusal {
  readonly code: string
  /** A sentence for the buyer: what is wrong, and the way out. */
  readonly detail: string
}

/** Throws RpcUnavailable. */
export async function checkTerms(deps: AcpDeps, job: Job): Promise<Next> {
  const { chain, store } = deps
  const found = await readJob(chain.primary, job.contract, job.jobId, "latest")
  if (found === null || found.provider !== job.provider) {
    const end = await endOfJob(deps, job)
    return end === null ? wait(POLL_MS.chain, "JOB_NOT_ON_CHAIN") : change(deps, job, withdrawn(end))
  }
  if (!isSameJob(found, job)) return correct(deps, { ...job, state: "SEEN" }, found)
  const waiting = await store.read(() => countWaitingBefore(job, WAITING_JOBS_MAX))
  const refusal = judgeTerms(found, secondsLeft(deps, job, await newestHead(deps)), waiting)
  if (refusal) return concludeRefused(deps, job, refusal)
  return change(deps, job, { to: "AWAITING_REQUIREMENT", detail: "terms are those of the offering" })
}

/** A reorganization created the job again with other terms. */
export async function correct(
  { store, machine, owner }: AcpDeps,
  job: Parameters<typeof correctTerms>[0],
  found: EscrowJob,
): Promise<Next> {
  const at = formatInstant(machine.now())
  return (await store.run(() => correctTerms(job, owner, found, at))) ? MOVED : LOST
}

export function withdrawn(end: string) {
  return { to: "WITHDRAWN", detail: end, ends: true } as const
}

/** Refuses the job. No purchase exists, so nothing is owed. */
export function concludeRefused(deps: AcpDeps, job: Job, refusal: Refusal): Promise<Next> {
  return change(deps, job, { to: "REFUSED", detail: refusal.code, tell: refusal, ends: true })
}

/** Returns why a job is refused, or null. `left`: seconds until its end. `waiting`: earlier open jobs of the client. */
export function judgeTerms(job: EscrowJob, left: number, waiting: number): Refusal | null {
  if (job.status !== "OPEN") return terms("The job is not open.")
  if (job.hook !== NO_ADDRESS) return terms("The job has a hook. Create one without a hook.")
  if (job.description !== ACP_OFFERING_NAME) {
    return terms(`The description must be the offering's name, "${ACP_OFFERING_NAME}".`)
  }
  if (job.evaluator !== NO_ADDRESS) {
    return {
      code: "EVALUATOR_UNAVAILABLE",
      detail: "The evaluator role is unavailable. Create a job whose evaluator is the zero address.",
    }
  }
  if (left < PROPOSE_SECONDS_MIN) {
    return {
      code: "DEADLINE_TOO_CLOSE",
      detail: `At least ${PROPOSE_SECONDS_MIN} seconds must be left before the job's deadline. Do not fund it; create another.`,
    }
  }
  if (left > JOB_SECONDS_MAX) return terms(`The deadline may lie at most ${JOB_SECONDS_MAX} seconds ahead.`)
  if (waiting >= WAITING_JOBS_MAX) {
    return {
      code: "TOO_MANY_JOBS",
      detail: `At most ${WAITING_JOBS_MAX} jobs of one client may wait for a requirement.`,
    }
  }
  return null
}

function terms(detail: string): Refusal {
  return { code: "JOB_TERMS", detail }
}
