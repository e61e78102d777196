/** Whether a job can still be paid. Only a safe block of every node proves that it cannot. */
import type { Block, EvmNode } from "../payments/rpc.ts"
import type { Job, JobTerms } from "../store/jobs/jobs.ts"
import { type EscrowJob, readJob } from "./chain/escrow-job.ts"
import { eventsOfJob, wasCreated } from "./chain/job-logs.ts"
import { onEachNode } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { firstBlockOf } from "./first-block.ts"

/** Why a job will not be paid. */
type EndOfJob = "JOB_REJECTED" | "JOB_EXPIRED" | "DEADLINE_PASSED" | "JOB_CHANGED"

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
  if (found === null || !isSameJob(found, job)) return (await isChanged(node, job)) ? "JOB_CHANGED" : null
  // A client can fund a job without a budget by nothing. It stays funded, and no budget can be set any more.
  if (isPast && found.budget !== price) return "DEADLINE_PASSED"
  const end = await provedEnd(node, job, found, safe)
  if (end === "REJECTED" || end === "EXPIRED") return `JOB_${end}`
  if (found.status !== "OPEN" || !isPast) return null
  const events = await eventsOfJob(node, job.contract, job.jobId, { from: firstBlockOf(job), to: safe.number })
  return events.some(({ name }) => name === "JobFunded") ? null : "DEADLINE_PASSED"
}

/**
 * Whether the node's events confirm that this job does not exist, although its state at the safe block shows another or none. A reorganization
 * may have put its creation above the safe block, and a node may be wrong about the state for a while. Throws RpcUnavailable.
 */
export async function isChanged(node: EvmNode, job: Job): Promise<boolean> {
  const head = await node.block("latest")
  return !(await wasCreated(node, job, { from: firstBlockOf(job), to: head.number }))
}

/** The event that ends a job in each state. */
const ENDING = { COMPLETED: "JobCompleted", REJECTED: "JobRejected", EXPIRED: "JobExpired" } as const

/** How the contract ended the job up to a safe block; null unless the state and an event say it. Throws RpcUnavailable. */
export async function provedEnd(
  node: EvmNode,
  job: Job,
  { status }: EscrowJob,
  safe: Block,
): Promise<keyof typeof ENDING | null> {
  if (status !== "COMPLETED" && status !== "REJECTED" && status !== "EXPIRED") return null
  const events = await eventsOfJob(node, job.contract, job.jobId, { from: firstBlockOf(job), to: safe.number })
  return events.some(({ name }) => name === ENDING[status]) ? status : null
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
