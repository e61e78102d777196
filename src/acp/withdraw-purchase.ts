/** Ends a job with a purchase that will not be delivered. The request may then be bought again. */
import { endPurchaseOfJob } from "../store/acp/job-moves.ts"
import type { Job } from "../store/acp/jobs.ts"
import type { AcpDeps } from "./deps.ts"
import type { EndOfJob } from "./end-of-job.ts"
import { change, type Next, type Told } from "./step.ts"

/** A safe block shows that the job cannot be funded any more. Nothing was paid. */
export function withdrawPurchase(deps: AcpDeps, job: Job, end: EndOfJob): Promise<Next> {
  return change(deps, job, {
    to: "WITHDRAWN",
    detail: end,
    ends: true,
    also: (at) => endPurchaseOfJob(job, at),
  })
}

/** The job is funded and will not be delivered: the client gets the money back from the contract after the deadline. */
export function missJob(
  deps: AcpDeps,
  job: Job,
  to: "DEADLINE_MISSED" | "FUNDING_MISMATCH",
  detail: string,
  tell: Told,
): Promise<Next> {
  return change(deps, job, { to, detail, tell, also: (at) => endPurchaseOfJob(job, at) })
}
