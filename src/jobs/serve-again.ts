/** Posts the frozen text again for a buyer who sends the same signed requirement to the same job once more. */
import type { AcpRequirement } from "../../schemas/acp/requirement.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { formatInstant } from "../core/time.ts"
import { findDeliverable } from "../store/jobs/job-deliverables.ts"
import { judgedEntries, recordEntry } from "../store/jobs/job-entries.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { isRequirementOf } from "./await-requirement.ts"
import type { AcpDeps } from "./deps.ts"
import { HubUnavailable } from "./hub/hub.ts"
import { readRequirement } from "./read-requirement.ts"

/** How often one job is served again. Recovery over HTTP has no such limit. */
const SERVED_AGAIN_MAX = 8

export async function serveAgain(deps: AcpDeps, job: Job): Promise<void> {
  const { store, hub, machine } = deps
  const deliverable = await store.read(() => findDeliverable(job.id))
  if (!deliverable) return
  const judged = await store.read(() => judgedEntries(job.id))
  if (judged.filter(({ verdict }) => verdict === "SERVED_AGAIN").length >= SERVED_AGAIN_MAX) return
  const known = new Set(judged.map(({ entryKey }) => entryKey))
  try {
    for (const entry of await hub.history(job.jobId)) {
      if (known.has(entry.key) || !isRequirementOf(job, entry) || !isFrozen(deps, job, entry.content)) continue
      await hub.postDeliverable(job.jobId, deliverable.text)
      const receivedAt = formatInstant(machine.now())
      const row = { entryKey: entry.key, receivedAt, verdict: "SERVED_AGAIN", code: "DELIVERED_BEFORE" } as const
      await store.run(() => recordEntry(job.id, row))
      return
    }
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error
  }
}

function isFrozen({ offering }: AcpDeps, { requirementJson }: Job, content: string): boolean {
  const reading = readRequirement(content, offering)
  return reading.kind === "final" && canonicalize(reading.requirement satisfies AcpRequirement) === requirementJson
}
