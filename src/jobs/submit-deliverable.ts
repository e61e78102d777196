/** Submits the hash of the posted text, once, and follows the submission to a safe block. */
import type { Hex } from "viem"
import { findDeliverable, type StoredDeliverable } from "../store/jobs/job-deliverables.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { readJob } from "./chain/escrow-job.ts"
import { findSubmission, type Submission } from "./chain/facts.ts"
import { newestHead, onEachNode, secondsLeft } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { isChanged, isSameJob, provedEnd } from "./end-of-job.ts"
import { firstBlockOf } from "./first-block.ts"
import { submitCall } from "./freeze-deliverable.ts"
import { prepareAction, repeatFailedAction } from "./provider-actions.ts"
import { change, LOST, MOVED, type Next, wait } from "./step.ts"
import { POLL_MS, SUBMIT_SECONDS_MIN } from "./terms.ts"

/** DELIVERABLE_POSTED, SUBMIT_PREPARED and SUBMITTED. Throws RpcUnavailable. */
export async function submitDeliverable(deps: AcpDeps, job: Job): Promise<Next> {
  const deliverable = await deps.store.read(() => findDeliverable(job.id))
  if (!deliverable) throw new Error("a posted delivery has no text")
  const submission = await findSubmission(deps.chain, job, firstBlockOf(job))
  if (submission !== null) return submitted(deps, job, deliverable, submission)
  if (job.state === "SUBMITTED") {
    return change(deps, job, { to: "SUBMIT_PREPARED", detail: "the submission is not in the chain any more" })
  }
  const unpaid = await unpaidNext(deps, job)
  if (unpaid) return unpaid
  return prepare(deps, job, deliverable.keccak256 as Hex)
}

async function submitted(deps: AcpDeps, job: Job, { keccak256 }: StoredDeliverable, seen: Submission): Promise<Next> {
  if (seen.deliverableHash !== keccak256) {
    deps.log.error("acp_submission_differs", { job: job.jobId, transaction: seen.txHash })
    if (!seen.isSafe) return wait(POLL_MS.chain, "SUBMISSION_DIFFERS")
    return change(deps, job, { to: "SUBMIT_MISMATCH", detail: seen.txHash, reason: "SUBMISSION_DIFFERS" })
  }
  if (seen.isSafe) return change(deps, job, { to: "SUBMITTED_SAFE", detail: seen.txHash })
  if (job.state === "SUBMITTED") return wait(POLL_MS.chain, "SUBMISSION_NOT_SAFE")
  return change(deps, job, { to: "SUBMITTED", detail: seen.txHash, step: "submission_seen" })
}

async function prepare(deps: AcpDeps, job: Job, hash: Hex): Promise<Next> {
  const isPrepared = job.state === "SUBMIT_PREPARED"
  if (secondsLeft(deps, job, await newestHead(deps)) < SUBMIT_SECONDS_MIN) return wait(POLL_MS.chain, "DEADLINE_CLOSE")
  const wanted = { job, action: "SUBMIT", data: submitCall(job, hash) } as const
  const prepared = isPrepared
    ? await repeatFailedAction(deps, wanted)
    : await prepareAction(deps, wanted, "SUBMIT_PREPARED")
  if (prepared === "LOST") return LOST
  if (prepared === "WOULD_FAIL") return wait(POLL_MS.chain, "SUBMIT_WOULD_FAIL")
  return isPrepared ? wait(POLL_MS.chain, "SUBMISSION_NOT_MINED") : MOVED
}

/**
 * The answer is delivered and can no longer be submitted: a safe block of every node is past the deadline, or the job is ended without a
 * submission. The decision stays delivered. Null while a submission may still come. Throws RpcUnavailable.
 */
export async function unpaidNext(deps: AcpDeps, job: Job): Promise<Next | null> {
  const proofs = await onEachNode(deps.chain, async (node) => {
    const safe = await node.block("safe")
    const found = await readJob(node, job.contract, job.jobId, safe.hash)
    if (found === null || !isSameJob(found, job)) return (await isChanged(node, job)) ? "JOB_CHANGED" : null
    const end = await provedEnd(node, job, found, safe)
    if (end === "REJECTED" || end === "EXPIRED") return `JOB_${end}` as const
    return found.status === "FUNDED" && safe.timestamp >= job.expiredAt ? "DEADLINE_PASSED" : null
  })
  const [reason] = proofs
  if (reason === null || proofs.some((proof) => proof !== reason)) return null
  deps.log.error("acp_unpaid_after_delivery", { job: job.jobId, reason })
  return change(deps, job, { to: "UNPAID_AFTER_DELIVERY", detail: reason })
}
