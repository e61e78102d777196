/** Finds jobs that name this provider. The chain's logs are enough; the hub only makes it faster. */
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { formatInstant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { admit, type NotAdmitted } from "../store/free-writes/admit.ts"
import { advanceCursor, readCursor } from "../store/jobs/channel.ts"
import { reviveJob, wakeJob } from "../store/jobs/job-leases.ts"
import {
  findJobByNumber,
  isReplaceable,
  type Job,
  type JobTerms,
  recordJob,
  recordSuccessor,
} from "../store/jobs/jobs.ts"
import { readJob } from "./chain/escrow-job.ts"
import { type CreatedJob, jobsCreatedFor } from "./chain/job-logs.ts"
import type { AcpDeps } from "./deps.ts"
import { HubUnavailable } from "./hub/hub.ts"
import { successorOf } from "./successor.ts"

/** How far back the first reading goes, in blocks of two seconds: half an hour. An older job cannot be served in time. */
const FIRST_BLOCKS = 900n
/** Blocks that one round reads at most. After a long outage several rounds read the rest. */
const BLOCKS_PER_ROUND = 20_000n
/** Jobs of the hub that one round looks up on the chain. */
const HUB_JOBS_MAX = 50

/** Records the jobs in the blocks since the last safe one. Throws RpcUnavailable. */
export async function discoverOnChain(deps: AcpDeps): Promise<void> {
  const { store, machine, chain, offering } = deps
  const node = chain.primary
  const [head, safe] = await Promise.all([node.block("latest"), node.block("safe")])
  const cursor = await store.read(() => readCursor(offering))
  const from = cursor === null ? floor(safe.number - FIRST_BLOCKS) : cursor + 1n
  const to = head.number < from + BLOCKS_PER_ROUND ? head.number : from + BLOCKS_PER_ROUND
  if (from > to) return
  for (const created of await jobsCreatedFor(node, offering.contract, offering.provider, { from, to })) {
    const known = await store.read(() => findJobByNumber({ ...offering, jobId: created.jobId }))
    if (known === null) await takeIn(deps, created.jobId, created.blockNumber)
    else if (isReplaceable(known) && !isCreationOf(created, known)) await takeSuccessor(deps, known)
  }
  // Blocks above the safe one may be replaced, so they are read again.
  const read = to < safe.number ? to : safe.number
  await store.run(() => advanceCursor(offering, read, formatInstant(machine.now())))
}

const floor = (block: bigint) => (block < 0n ? 0n : block)

/** Records jobs that the hub names, if the chain shows that they are this provider's. */
export async function discoverAtHub(deps: AcpDeps): Promise<void> {
  let ids: readonly string[]
  try {
    ids = await deps.hub.activeJobs()
  } catch (error) {
    if (error instanceof HubUnavailable) return
    throw error
  }
  const unknown = await deps.store.read(() => unknownJobs(deps, ids.slice(0, HUB_JOBS_MAX)))
  if (unknown.length === 0) return
  const head = await deps.chain.primary.block("latest")
  for (const jobId of unknown) await takeIn(deps, jobId, head.number)
}

function* unknownJobs({ offering }: AcpDeps, ids: readonly string[]): Unit<string[]> {
  const unknown: string[] = []
  for (const jobId of ids) if ((yield* findJobByNumber({ ...offering, jobId })) === null) unknown.push(jobId)
  return unknown
}

/** The hub has news of a job: the worker polls it soon. */
export async function meetJob(deps: AcpDeps, jobId: string): Promise<void> {
  const { store, machine, chain, offering } = deps
  const number = { chainId: offering.chainId, contract: offering.contract, jobId }
  const known = await store.read(() => findJobByNumber(number))
  if (known) {
    const now = formatInstant(machine.now())
    if (known.leaseOwner === null) {
      await store.run(() => (known.lookAt === null ? reviveJob(number, now) : wakeJob(number, now)))
    }
    return
  }
  await takeIn(deps, jobId, (await chain.primary.block("latest")).number)
}

function isCreationOf(created: CreatedJob, { client, expiredAt }: Job): boolean {
  return created.client === client && created.expiredAt === expiredAt
}

async function takeSuccessor(deps: AcpDeps, known: Job): Promise<void> {
  const successor = await successorOf(deps, known)
  if (successor === null || !(await deps.store.run(() => recordSuccessor(known.id, successor)))) return
  deps.log.info("acp_job_seen", { job: known.jobId })
  await deps.trace?.("recorded")
}

/** Stores a job that the chain has now. The terms come from the contract, never from a log or the hub. */
async function takeIn(deps: AcpDeps, jobId: string, block: bigint): Promise<void> {
  const { store, machine, chain, offering } = deps
  const number = { chainId: offering.chainId, contract: offering.contract, jobId }
  const found = await readJob(chain.primary, offering.contract, jobId, "latest")
  if (found === null || found.provider !== offering.provider) return
  const { client, provider, evaluator, hook, expiredAt } = found
  const terms: JobTerms = { client, provider, evaluator, hook, expiredAt }
  const id = formatId("job", machine.random(ID_RANDOM_BYTES))
  const at = formatInstant(machine.now())
  const job = { ...number, ...terms, id, createdBlock: String(block), at }
  const writer = deps.writer(machine.now())
  const taken = await store.run(function* (): Unit<"NEW" | "KNOWN" | NotAdmitted> {
    // Another process may have found it meanwhile: a job counts once.
    if ((yield* findJobByNumber(number)) !== null) return "KNOWN"
    const refused = yield* admit("JOBS", writer, { agent: client })
    return refused ?? ((yield* recordJob(job)) ? "NEW" : "KNOWN")
  })
  if (typeof taken !== "string") {
    // Nothing is paid for a job before its budget is proposed. The hub names it again, and then there may be a share for it.
    deps.log.warn("acp_job_not_taken", { job: jobId, cap: taken.cap, of: taken.whose })
    return
  }
  if (taken === "KNOWN") return
  deps.log.info("acp_job_seen", { job: jobId })
  await deps.trace?.("recorded")
}
