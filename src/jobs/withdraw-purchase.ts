/** Ends a job with a purchase that will not be delivered. The request may then be bought again. */
import { endPurchaseOfJob } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import type { AcpDeps } from "./deps.ts"
import { endOfJob } from "./end-of-job.ts"
import { type Change, change, type Next, type Told } from "./step.ts"

/** Ends the purchase if a safe block shows that nothing will be paid for it; else null. Throws RpcUnavailable. */
export async function withdrawnNext(deps: AcpDeps, job: Job): Promise<Next | null> {
  const end = await endOfJob(deps, job)
  if (end === null) return null
  const also = (at: string) => endPurchaseOfJob(job, at)
  return change(deps, job, { to: "WITHDRAWN", detail: end, reason: end, also })
}

interface Miss extends Pick<Change, "detail"> {
  readonly to: "DEADLINE_MISSED" | "FUNDING_MISMATCH"
  readonly tell: Told
}

/** The job is funded and will not be delivered: the client gets the money back from the contract after the deadline. */
export function missJob(deps: AcpDeps, job: Job, miss: Miss): Promise<Next> {
  return change(deps, job, { ...miss, also: (at) => endPurchaseOfJob(job, at) })
}
