/** Whether a job can still be paid. Only a safe block of every node proves that it cannot. */
import type { EvmNode } from "../payments/rpc.ts"
import type { Job, JobTerms } from "../store/acp/jobs.ts"
import { type EscrowJob, readJob } from "./chain/escrow-job.ts"
import { eventsOfJob } from "./chain/job-logs.ts"
import { onEachNode } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { firstBlockOf } from "./first-block.ts"

/** Why a job will not be paid. */
export type EndOfJob = "JOB_REJECTED" | "JOB_EXPIRED" | "DEADLINE_PASSED" | "JOB_CHANGED"

/** Returns why a safe block of every node shows that the job will not be paid, or null. Throws RpcUnavailable. */
export async function endOfJob({ chain, sold }: AcpDeps, job: Job): Promise<EndOfJob | null> {
  const [first, ...others] = await onEachNode(chain, (node) => endOn(node, job, sold.product.priceAtomic))
  return others.includes(null) ? null : first
}

/** The state says it and the events agree: a node may be wrong about the state for a while. */
async function endOn(node: EvmNode, job: Job, price: bigint): Promise<EndOfJob | null> {
  const safe = await node.block("safe")
  // A safe block before the job was made says nothing about it.
  if (safe.number < BigInt(job.createdBlock)) return null
  const found = await readJob(node, job.contract, job.jobId, safe.hash)
  const isPast = safe.timestamp >= job.expiredAt
  // A reorganization may have taken its creation away, and the same transaction may bring it back until the deadline.
  if (found === null && !isPast) return null
  if (found === null || !isSameJob(found, job)) return (await isAtHead(node, job)) ? null : "JOB_CHANGED"
  // A client can fund a job without a budget by nothing. It stays funded, and no budget can be set any more.
  if (isPast && found.budget !== price) return "DEADLINE_PASSED"
  if (found.status !== "REJECTED" && found.status !== "EXPIRED" && !(found.status === "OPEN" && isPast)) return null
  const names = (await eventsOfJob(node, job.contract, job.jobId, firstBlockOf(job), safe.number)).map(
    ({ name }) => name,
  )
  if (found.status === "REJECTED") return names.includes("JobRejected") ? "JOB_REJECTED" : null
  if (found.status === "EXPIRED") return names.includes("JobExpired") ? "JOB_EXPIRED" : null
  return names.includes("JobFunded") ? null : "DEADLINE_PASSED"
}

/** A reorganization may have put the job's creation above the safe block. */
async function isAtHead(node: EvmNode, job: Job): Promise<boolean> {
  const found = await readJob(node, job.contract, job.jobId, "latest")
  return found !== null && isSameJob(found, job)
}

export function isSameJob(found: EscrowJob, terms: JobTerms): boolean {
  return (
    found.client === terms.client &&
    found.provider === terms.provider &&
    found.evaluator === terms.evaluator &&
    found.hook === terms.hook &&
    found.expiredAt === terms.expiredAt
  )
}
