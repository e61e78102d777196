/** Follows what happens to the money of a job that needs nothing more of the worker. Only the chain's events count. */
import { formatInstant, SECOND } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { jobFacts, recordFact } from "../store/jobs/job-facts.ts"
import { isHeld } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { readJob } from "./chain/escrow-job.ts"
import { observeFacts } from "./chain/facts.ts"
import { onEachNode } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { isSameJob, provedEnd } from "./end-of-job.ts"
import { firstBlockOf } from "./first-block.ts"
import { change, ENDED, type Next, wait } from "./step.ts"
import { FOLLOW_SECONDS_MAX, POLL_MS } from "./terms.ts"

/** SUBMITTED_SAFE, DEADLINE_MISSED, FUNDING_MISMATCH and UNPAID_AFTER_DELIVERY. Throws RpcUnavailable. */
export async function followOutcome(deps: AcpDeps, job: Job): Promise<Next> {
  const ended = await endedOnChain(deps, job)
  // A job that waits for its client for days costs two queries a poll. Its facts change only when the contract ends it.
  const isSettled = ended !== null || job.reason === null ? await recordFacts(deps, job) : false
  const isOver = deps.machine.now() >= (job.expiredAt + FOLLOW_SECONDS_MAX) * SECOND
  // A node may have gone back to older blocks since it showed the end. The last facts must be those of a safe block.
  if ((ended === null || !isSettled) && !isOver) return wait(POLL_MS.facts, "AWAITING_OUTCOME")
  if (ended === null || job.state !== "SUBMITTED_SAFE") return ENDED
  return change(deps, job, { to: ended, detail: "seen in a safe block", ends: true })
}

/**
 * Stores what the chain shows of the job now. Facts that were stored and whose block is replaced are stored again as ORPHANED. Returns whether
 * every fact is in a safe block. A worker that has lost the job stores nothing: what it saw may be older than what is stored.
 */
export async function recordFacts(deps: AcpDeps, job: Job): Promise<boolean> {
  const { store, machine, chain, offering, owner } = deps
  const terms = { contract: job.contract, token: offering.token, client: job.client, provider: job.provider }
  const found = await observeFacts(chain, terms, job.jobId, firstBlockOf(job))
  const known = await store.read(() => jobFacts(job.id))
  const observedAt = formatInstant(machine.now())
  const isFound = (fact: { readonly fact: string; readonly txHash: string; readonly blockHash: string }) =>
    found.some((one) => one.fact === fact.fact && one.txHash === fact.txHash && one.blockHash === fact.blockHash)
  const orphaned = known.filter((fact) => fact.level !== "ORPHANED" && !isFound(fact))
  return store.run(function* (): Unit<boolean> {
    if (!(yield* isHeld(job, owner))) return false
    for (const fact of found) yield* recordFact({ ...fact, job: job.id, observedAt })
    for (const fact of orphaned) yield* recordFact({ ...fact, level: "ORPHANED", observedAt })
    return found.every(({ level }) => level !== "LATEST")
  })
}

/** How the contract ended the job, if a safe block of every node shows it. */
async function endedOnChain({ chain }: AcpDeps, job: Job): Promise<"COMPLETED" | "REJECTED" | "EXPIRED" | null> {
  const [first, ...others] = await onEachNode(chain, async (node) => {
    const safe = await node.block("safe")
    const found = await readJob(node, job.contract, job.jobId, safe.hash)
    return found !== null && isSameJob(found, job) ? provedEnd(node, job, found, safe) : null
  })
  return others.some((other) => other !== first) ? null : first
}
