/** Waits for the funding, and for a safe block that shows it. A funding that is not safe yet releases nothing. */
import { ACP_OFFERING_NAME } from "../../schemas/acp/terms.ts"
import { formatInstant } from "../core/time.ts"
import { keepSafeFunding } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { type FundingObservation, observeFunding, type SafeFunding } from "./chain/funding.ts"
import { lateNext } from "./decide-job.ts"
import type { AcpDeps } from "./deps.ts"
import { firstBlockOf } from "./first-block.ts"
import { change, LOST, MOVED, type Next, tellOnce, wait } from "./step.ts"
import { POLL_MS } from "./terms.ts"
import { missJob, withdrawnNext } from "./withdraw-purchase.ts"

/**
 * A mismatch that a safe event shows, and no later block mends. The others come from the contract's state: a node may be wrong about it for a
 * while, or the operator may repair it before the deadline.
 */
const FINAL_MISMATCHES: ReadonlySet<string> = new Set(["FUNDING_EVENT_AMBIGUOUS", "TRANSFER_MISSING"])

/** BUDGET_PROPOSED and FUNDING_SEEN. Throws RpcUnavailable. */
export async function followFunding(deps: AcpDeps, job: Job): Promise<Next> {
  const seen = await pollFunding(deps, job)
  switch (seen.kind) {
    case "unavailable":
      return (await withdrawnNext(deps, job)) ?? waitUntilLate(deps, job, "CHAIN_UNAVAILABLE")
    case "none":
      return notFunded(deps, job)
    case "seen":
      return observed(deps, job, seen.txHash)
    case "mismatch":
      return mismatch(deps, job, seen.reason)
    case "safe":
      return safe(deps, job, seen)
  }
}

export function pollFunding(deps: AcpDeps, job: Job): Promise<FundingObservation> {
  const { chain, offering, sold } = deps
  const { client, provider, evaluator, hook, expiredAt, contract, jobId } = job
  const terms = {
    contract,
    token: offering.token,
    client,
    provider,
    evaluator,
    hook,
    expiredAt,
    description: ACP_OFFERING_NAME,
    budget: sold.product.priceAtomic,
    implementations: offering.implementations,
  }
  return observeFunding(chain, terms, jobId, firstBlockOf(job))
}

async function notFunded(deps: AcpDeps, job: Job): Promise<Next> {
  const withdrawn = await withdrawnNext(deps, job)
  if (withdrawn) return withdrawn
  if (job.state === "FUNDING_SEEN") {
    // A reorganization took the funding away. The buyer's transaction may come back by itself, so nobody is asked to fund again.
    return change(deps, job, { to: "BUDGET_PROPOSED", detail: "the funding is not in the chain any more" })
  }
  return wait(POLL_MS.chain, "AWAITING_FUNDING")
}

async function observed(deps: AcpDeps, job: Job, txHash: string): Promise<Next> {
  if (job.state === "FUNDING_SEEN") return waitUntilLate(deps, job, "FUNDING_NOT_SAFE")
  return change(deps, job, {
    to: "FUNDING_SEEN",
    detail: txHash,
    tell: {
      code: "FUNDING_OBSERVED",
      detail: "The funding is observed and not yet in a safe block. Do not fund again; the decision follows.",
    },
  })
}

async function mismatch(deps: AcpDeps, job: Job, reason: string): Promise<Next> {
  const withdrawn = await withdrawnNext(deps, job)
  if (withdrawn) return withdrawn
  deps.log.error("acp_funding_mismatch", { job: job.jobId, reason })
  if (FINAL_MISMATCHES.has(reason)) {
    return missJob(deps, job, {
      to: "FUNDING_MISMATCH",
      detail: reason,
      tell: {
        code: "FUNDING_MISMATCH",
        detail: `The funding does not match the job (${reason}). Nothing is delivered; claim the refund after the deadline.`,
      },
    })
  }
  await tellOnce(deps, job, {
    code: reason,
    detail: "The contract is not in a state in which this service delivers. Do not fund again.",
  })
  return waitUntilLate(deps, job, reason)
}

/** Also nodes that never agree end the purchase, when it is too late to deliver. */
async function waitUntilLate(deps: AcpDeps, job: Job, reason: string): Promise<Next> {
  return (await lateNext(deps, job)) ?? wait(POLL_MS.chain, reason)
}

async function safe(deps: AcpDeps, job: Job, funding: SafeFunding): Promise<Next> {
  const { store, machine, owner } = deps
  const at = formatInstant(machine.now())
  const move = { job, owner, at, detail: `${funding.txHash} log ${funding.logIndex}` }
  const { kind: _, ...stored } = funding
  const kept = await store.run(() => keepSafeFunding(move, JSON.stringify(stored, bigintAsText)))
  if (!kept) return LOST
  deps.log.info("acp_job_moved", { job: job.jobId, from: job.state, to: "FUNDING_SAFE", reason: null })
  await deps.trace?.("funding_stored")
  return MOVED
}

const bigintAsText = (_: string, value: unknown) => (typeof value === "bigint" ? String(value) : value)
