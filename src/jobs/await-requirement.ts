/** Waits for the buyer's final requirement, and freezes the first one that passes every gate. */
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import { digestBytes } from "../core/digest.ts"
import { jobBinding, jobBindingBytes } from "../core/jobs/job-binding.ts"
import { jobBindingFault } from "../core/jobs/verify-job-binding.ts"
import { formatInstant, instant, MINUTE } from "../core/time.ts"
import { findAgentKey } from "../store/identity/agent-identity.ts"
import { isPaused } from "../store/jobs/channel.ts"
import { ENTRIES_MAX, type JudgedEntry, judgedEntries, recordEntry } from "../store/jobs/job-entries.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { readJob } from "./chain/escrow-job.ts"
import { newestHead, secondsLeft } from "./chain-time.ts"
import { concludeRefused, correct, judgeTerms, type Refusal, withdrawn } from "./check-terms.ts"
import type { AcpDeps } from "./deps.ts"
import { endOfJob, isSameJob } from "./end-of-job.ts"
import { freezeRequirement } from "./freeze-requirement.ts"
import { type HubEntry, HubUnavailable } from "./hub/hub.ts"
import { faultDetail, type RequirementFault, readRequirement } from "./read-requirement.ts"
import { change, type Next, type Told, tellOnce, wait } from "./step.ts"
import { POLL_MS } from "./terms.ts"

/** Throws RpcUnavailable. */
export async function awaitRequirement(deps: AcpDeps, job: Job): Promise<Next> {
  const found = await readJob(deps.chain.primary, job.contract, job.jobId, "latest")
  const isOurs = found?.provider === job.provider
  if (isOurs && !isSameJob(found, job)) return correct(deps, { ...job, state: "AWAITING_REQUIREMENT" }, found)
  const left = secondsLeft(deps, job, await newestHead(deps))
  if (!isOurs || found.status !== "OPEN" || left <= 0) {
    const end = await endOfJob(deps, job)
    return end === null ? wait(POLL_MS.chain, "AWAITING_SAFE_BLOCK") : change(deps, job, withdrawn(end))
  }
  const refusal = judgeTerms(found, left, 0)
  if (refusal) return concludeRefused(deps, job, refusal)
  if (!deps.isTaking() || (await deps.store.read(isPaused))) return wait(POLL_MS.requirement, "PAUSED")
  let history: readonly HubEntry[]
  try {
    history = await deps.hub.history(job.jobId)
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error
    return wait(POLL_MS.hub, "HUB_UNAVAILABLE")
  }
  return judgeHistory(deps, job, history)
}

async function judgeHistory(deps: AcpDeps, job: Job, history: readonly HubEntry[]): Promise<Next> {
  const judged = new Set((await deps.store.read(() => judgedEntries(job.id))).map(({ entryKey }) => entryKey))
  for (const entry of history) {
    if (!isRequirementOf(job, entry) || judged.has(entry.key)) continue
    if (judged.size >= ENTRIES_MAX) return wait(POLL_MS.idle, "TOO_MANY_MESSAGES")
    const next = await judgeEntry(deps, job, entry)
    if (next) return next
    judged.add(entry.key)
  }
  const age = deps.machine.now() - instant(job.createdAt)
  return wait(age < 15 * MINUTE ? POLL_MS.requirement : POLL_MS.idle, "AWAITING_REQUIREMENT")
}

/** Another party's message must not touch the job. The hub only asserts the author; the binding's signature proves the buyer. */
export function isRequirementOf({ client }: Job, { kind, contentType, author }: HubEntry): boolean {
  return kind === "message" && contentType === "requirement" && author === client
}

/** Returns null when the message changes nothing, and the next one is read. */
async function judgeEntry(deps: AcpDeps, job: Job, entry: HubEntry): Promise<Next | null> {
  const reading = entry.tooLarge
    ? ({ kind: "faulty", code: "REQUIREMENT_TOO_LARGE", pointers: [] } as const)
    : readRequirement(entry.content, deps.offering)
  if (reading.kind === "draft") {
    await record(deps, job, entry, { verdict: "DRAFT", code: null })
    return null
  }
  if (reading.kind === "faulty")
    return ignore(deps, job, entry, { code: reading.code, detail: faultDetail(reading.code, reading.pointers) })
  const { requirement } = reading
  const fault = await bindingFault(deps, job, requirement)
  if (fault !== null) {
    return ignore(deps, job, entry, { code: "BINDING_INVALID", detail: `${BINDING_INVALID} (${fault})` })
  }
  const binding = jobBinding(requirement, factsOf(job))
  const bindingDigest = digestBytes(jobBindingBytes(binding))
  const accepted = { entryKey: entry.key, requirement, bindingDigest, requirementDigest: binding.requirement_digest }
  const frozen = await freezeRequirement(deps, job, accepted)
  if (!("code" in frozen)) return frozen
  return concludeRefusal(deps, job, entry, frozen)
}

const BINDING_INVALID =
  "buyer_authorization does not sign this job. Bind the requirement to this job with an active key, and send it again. /v1/agent/signed-forms#JOB_BINDING says what it signs."

export function factsOf({ jobId, chainId, client, provider }: Job) {
  return { onChainJobId: jobId, chainId, clientAddress: client, providerAddress: provider }
}

/** The key comes from this service's records, the job from the chain. */
async function bindingFault({ store }: AcpDeps, job: Job, requirement: AcpRequirement): Promise<string | null> {
  const { agent_id, key_id } = requirement.request.requesting_agent
  const key = await store.read(() => findAgentKey(agent_id, key_id))
  return key === null ? "AGENT_KEY_UNKNOWN" : jobBindingFault(requirement, factsOf(job), key.x)
}

interface RequirementNotice extends Told {
  readonly code: RequirementFault | "BINDING_INVALID"
}

async function ignore(deps: AcpDeps, job: Job, entry: HubEntry, notice: RequirementNotice): Promise<null> {
  await record(deps, job, entry, { verdict: "IGNORED", code: notice.code })
  await tellOnce(deps, job, notice)
  return null
}

async function concludeRefusal(deps: AcpDeps, job: Job, entry: HubEntry, refusal: Refusal): Promise<Next> {
  await record(deps, job, entry, { verdict: "REFUSED", code: refusal.code })
  return concludeRefused(deps, job, refusal)
}

function record(
  { store, machine }: AcpDeps,
  job: Job,
  { key: entryKey }: HubEntry,
  judgement: Pick<JudgedEntry, "verdict" | "code">,
): Promise<void> {
  const receivedAt = formatInstant(machine.now())
  return store.run(() => recordEntry(job.id, { entryKey, receivedAt, ...judgement }))
}
