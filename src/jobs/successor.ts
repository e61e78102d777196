/**
 * A reorganization can drop the creation of a job, and the contract then gives its number to another job. The earlier job keeps its row; the
 * later one gets its own.
 */
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant } from "../core/time.ts"
import type { Job, NewJob } from "../store/jobs/jobs.ts"
import { readJob } from "./chain/escrow-job.ts"
import { wasCreated } from "./chain/job-logs.ts"
import type { AcpDeps } from "./deps.ts"
import { isSameJob } from "./end-of-job.ts"
import { firstBlockOf } from "./first-block.ts"

/**
 * Returns the job that has the number of `job` now, or null if that is still `job`, no job, or a job of another provider. The contract and
 * its event must agree. Throws RpcUnavailable.
 */
export async function successorOf(deps: AcpDeps, job: Job): Promise<NewJob | null> {
  const { chain, machine, offering } = deps
  const { chainId, contract, jobId, createdBlock } = job
  const found = await readJob(chain.primary, contract, jobId, "latest")
  if (found === null || found.provider !== offering.provider || isSameJob(found, job)) return null
  const { client, provider, evaluator, hook, expiredAt } = found
  const named = { contract, jobId, client, provider, expiredAt }
  const head = await chain.primary.block("latest")
  if (!(await wasCreated(chain.primary, named, { from: firstBlockOf(job), to: head.number }))) return null
  const id = formatId("job", machine.random(ID_RANDOM_BYTES))
  const at = formatInstant(machine.now())
  return { id, chainId, contract, jobId, client, provider, evaluator, hook, expiredAt, createdBlock, at }
}
