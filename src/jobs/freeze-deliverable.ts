/**
 * Acquires the decision and freezes the text of its delivery in one unit. It is final: from then on recovery answers, whatever happens to the
 * submission.
 */
import { type Address, encodeFunctionData, type Hex } from "viem"
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import type { Digest } from "../core/digest.ts"
import { DeliverableTooLarge, deliverableOf, type FrozenDeliverable, type Funding } from "../core/jobs/deliverable.ts"
import { settlementReference } from "../core/jobs/settlement-reference.ts"
import { formatInstant } from "../core/time.ts"
import { acquire } from "../delivery/conclude.ts"
import type { SettlementFacts } from "../delivery/sale.ts"
import { CallFailed } from "../payments/rpc.ts"
import type { Unit } from "../store/engine/unit.ts"
import { storeDeliverable } from "../store/jobs/job-deliverables.ts"
import { acquireJobPurchase, moveJob } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { type ComputedDelivery, findDelivery } from "../store/sales/deliveries.ts"
import { factsOf } from "./await-requirement.ts"
import { ESCROW_ABI } from "./chain/escrow-abi.ts"
import { lateNext } from "./decide-job.ts"
import type { AcpDeps } from "./deps.ts"
import { pollFunding } from "./follow-funding.ts"
import { LOST, MOVED, type Next, wait } from "./step.ts"
import { POLL_MS } from "./terms.ts"
import { withdrawnNext } from "./withdraw-purchase.ts"

/** DECISION_READY. Throws RpcUnavailable. */
export async function freezeDeliverable(deps: AcpDeps, job: Job): Promise<Next> {
  const late = await lateNext(deps, job)
  if (late) return late
  // The operator may have changed the contract's trusted implementations, or the contract may be paused, since the funding was safe.
  const funding = await pollFunding(deps, job)
  if (funding.kind === "mismatch") return (await withdrawnNext(deps, job)) ?? wait(POLL_MS.chain, funding.reason)
  if (funding.kind !== "safe") return wait(POLL_MS.chain, "FUNDING_NOT_SAFE")
  const computed = await deps.store.read(() => findDelivery(job.requestId ?? ""))
  if (!computed) throw new Error("a decided job has no computed decision")
  if (computed.body !== null) return LOST
  const frozen = await textOf(deps, job, computed)
  if (frozen === null) return wait(POLL_MS.hub, "DELIVERABLE_TOO_LARGE")
  if (!(await wouldSubmit(deps, job, frozen.keccak256))) return wait(POLL_MS.chain, "SUBMIT_WOULD_FAIL")
  return freeze(deps, job, frozen)
}

/** The same stored decision and funding give the same text at the same moment. Null when it is too large to deliver. */
async function textOf(deps: AcpDeps, job: Job, computed: ComputedDelivery): Promise<FrozenDeliverable | null> {
  const { sold, issuer, machine, log } = deps
  const requirement = JSON.parse(job.requirementJson ?? "") as AcpRequirement
  const { body } = sold.product.finish(computed, settlementOf(job))
  const publicKey = await issuer.publicKeyOf(computed.keyId)
  if (publicKey === null) throw new Error("the key of a computed decision is not known")
  try {
    return deliverableOf({
      job: { ...factsOf(job), escrowContract: job.contract, offeringId: requirement.offering.id },
      requirementDigest: job.requirementDigest as Digest,
      bindingDigest: job.bindingDigest as Digest,
      request: requirement.request,
      response: JSON.parse(body) as DecisionResponse,
      funding: fundingOf(job),
      issuer: { x: publicKey, jwksPath: issuer.jwksPath, revocationPath: issuer.revocationPath },
      issuedAt: formatInstant(machine.now()),
    })
  } catch (error) {
    if (!(error instanceof DeliverableTooLarge)) throw error
    log.error("acp_deliverable_too_large", { job: job.jobId, bytes: error.bytes })
    return null
  }
}

/** The funding as the job's row has it. */
function fundingOf({ fundingJson }: Job): Funding {
  const stored = JSON.parse(fundingJson ?? "") as Omit<Funding, "blockNumber" | "safeBlockNumber"> & {
    readonly blockNumber: string
    readonly safeBlockNumber: string
  }
  return { ...stored, blockNumber: BigInt(stored.blockNumber), safeBlockNumber: BigInt(stored.safeBlockNumber) }
}

function settlementOf(job: Job): SettlementFacts {
  const { chainId, contract, jobId } = job
  return {
    network: `eip155:${chainId}`,
    reference: settlementReference({ chainId, escrowContract: contract, onChainJobId: jobId }, fundingOf(job).txHash),
  }
}

/** Whether the contract would take the submission now, by a call at the head. Throws RpcUnavailable. */
async function wouldSubmit({ chain, wallet }: AcpDeps, job: Job, hash: Hex): Promise<boolean> {
  try {
    const call = { to: job.contract as Address, data: submitCall(job, hash), from: wallet.address }
    await chain.primary.call(call)
    return true
  } catch (error) {
    if (error instanceof CallFailed) return false
    throw error
  }
}

export function submitCall({ jobId }: Job, hash: Hex): Hex {
  return encodeFunctionData({ abi: ESCROW_ABI, functionName: "submit", args: [BigInt(jobId), hash, "0x"] })
}

async function freeze(deps: AcpDeps, job: Job, frozen: FrozenDeliverable): Promise<Next> {
  const { sold, owner, store, machine, log } = deps
  const settlement = settlementOf(job)
  const { text, sha256, keccak256 } = frozen
  const acquired = await acquire({ store, machine, log }, sold.product, {
    requestId: job.requestId ?? "",
    rail: "acp",
    settlement,
    paymentResponse: null,
    railMove: function* (at): Unit<boolean> {
      const move = { job, owner, at, to: "DELIVERABLE_FROZEN", detail: keccak256 } as const
      if (!(yield* moveJob(move))) return false
      yield* acquireJobPurchase(job, settlement.reference)
      yield* storeDeliverable({ job: job.id, text, sha256, keccak256, createdAt: at })
      return true
    },
  })
  if (acquired === null || "refused" in acquired) return LOST
  await deps.trace?.("deliverable_frozen")
  return MOVED
}
