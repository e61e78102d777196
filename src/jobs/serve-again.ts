/** Posts the frozen text again for a buyer who sends the same signed requirement to the same job once more. */
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { formatInstant } from "../core/time.ts"
import { findDeliverable } from "../store/jobs/job-deliverables.ts"
import { judgedEntries, recordEntry, SERVED_AGAIN_MAX } from "../store/jobs/job-entries.ts"
import { reviveJob } from "../store/jobs/job-leases.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { isRequirementOf } from "./await-requirement.ts"
import type { AcpDeps } from "./deps.ts"
import { HubUnavailable } from "./hub/hub.ts"
import { readRequirement } from "./read-requirement.ts"

/** False: the hub did not answer, or it took no delivery. */
export function serveAgain(deps: AcpDeps, job: Job): Promise<boolean> {
  const { store, hub, machine } = deps
  return unlessAway(async () => {
    const unserved = await findUnserved(deps, job)
    if (unserved === null) return
    await hub.postDeliverable(job.jobId, unserved.text)
    const receivedAt = formatInstant(machine.now())
    const row = { entryKey: unserved.key, receivedAt, verdict: "SERVED_AGAIN", code: "DELIVERED_BEFORE" } as const
    await store.run(() => recordEntry(job.id, row))
  })
}

/**
 * Makes a job that has just ended due once more if its chat asks for the delivery. A message that came after the last turn read the chat woke
 * nobody, because the job was still in work.
 */
export async function reviveIfUnserved(deps: AcpDeps, job: Job): Promise<void> {
  const { store, machine } = deps
  await unlessAway(async () => {
    if ((await findUnserved(deps, job)) === null) return
    await store.run(() => reviveJob(job, formatInstant(machine.now())))
  })
}

/** The first message that asks for the delivery and is not served, with the text to post; null without one. Throws HubUnavailable. */
async function findUnserved(deps: AcpDeps, job: Job): Promise<{ readonly key: string; readonly text: string } | null> {
  const { store, hub } = deps
  const deliverable = await store.read(() => findDeliverable(job.id))
  if (!deliverable) return null
  const judged = await store.read(() => judgedEntries(job.id))
  if (judged.filter(({ verdict }) => verdict === "SERVED_AGAIN").length >= SERVED_AGAIN_MAX) return null
  const known = new Set(judged.map(({ entryKey }) => entryKey))
  const unserved = (await hub.history(job.jobId)).find(
    (entry) => !known.has(entry.key) && isRequirementOf(job, entry) && isFrozen(deps, job, entry.content),
  )
  return unserved === undefined ? null : { key: unserved.key, text: deliverable.text }
}

async function unlessAway(ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    if (error instanceof HubUnavailable) return false
    throw error
  }
}

function isFrozen({ offering }: AcpDeps, { requirementJson }: Job, content: string): boolean {
  const reading = readRequirement(content, offering)
  return reading.kind === "final" && canonicalize(reading.requirement satisfies AcpRequirement) === requirementJson
}
