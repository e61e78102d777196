/** Proposes the fixed price as the job's budget, once. */
import { encodeFunctionData } from "viem"
import type { Job } from "../store/jobs/jobs.ts"
import { ESCROW_ABI } from "./chain/escrow-abi.ts"
import { readJob } from "./chain/escrow-job.ts"
import { newestHead, secondsLeft } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { isSameJob } from "./end-of-job.ts"
import { prepareAction, repeatFailedAction } from "./provider-actions.ts"
import { change, LOST, MOVED, type Next, wait } from "./step.ts"
import { POLL_MS, PROPOSE_SECONDS_MIN } from "./terms.ts"
import { withdrawnNext } from "./withdraw-purchase.ts"

/** REQUIREMENT_VERIFIED and BUDGET_PREPARED. Throws RpcUnavailable. */
export async function proposeBudget(deps: AcpDeps, job: Job): Promise<Next> {
  const price = deps.sold.product.priceAtomic
  const found = await readJob(deps.chain.primary, job.contract, job.jobId, "latest")
  const isOurs = found !== null && isSameJob(found, job)
  // Only the provider sets a budget. One that is there was set by an earlier run of this worker.
  if (isOurs && found.budget === price && (found.status === "OPEN" || found.status === "FUNDED")) {
    return change(deps, job, { to: "BUDGET_PROPOSED", detail: `budget ${price}` })
  }
  const withdrawn = await withdrawnNext(deps, job)
  if (withdrawn) return withdrawn
  if (!isOurs || found.status !== "OPEN") return wait(POLL_MS.chain, "AWAITING_SAFE_BLOCK")
  const isPrepared = job.state === "BUDGET_PREPARED"
  if (secondsLeft(deps, job, await newestHead(deps)) < PROPOSE_SECONDS_MIN) {
    return wait(POLL_MS.chain, "DEADLINE_TOO_CLOSE")
  }
  const args = [BigInt(job.jobId), price, "0x"] as const
  const data = encodeFunctionData({ abi: ESCROW_ABI, functionName: "setBudget", args })
  const wanted = { job, action: "SET_BUDGET", data } as const
  const prepared = isPrepared
    ? await repeatFailedAction(deps, wanted)
    : await prepareAction(deps, wanted, "BUDGET_PREPARED")
  if (prepared === "LOST") return LOST
  if (prepared === "WOULD_FAIL") return wait(POLL_MS.chain, "BUDGET_WOULD_FAIL")
  return isPrepared ? wait(POLL_MS.chain, "BUDGET_NOT_MINED") : MOVED
}
