/** Posts the queued messages of a job in its chat. A message that the hub has already is not posted again. */
import { formatInstant } from "../core/time.ts"
import { markPosted, unpostedNotices } from "../store/jobs/job-entries.ts"
import type { Job } from "../store/jobs/jobs.ts"
import type { AcpDeps } from "./deps.ts"
import { HubUnavailable } from "./hub/hub.ts"

/** True when nothing is left to post. */
export async function postNotices(deps: AcpDeps, job: Job): Promise<boolean> {
  const { store, hub, machine } = deps
  const notices = await store.read(() => unpostedNotices(job.id))
  if (notices.length === 0) return true
  try {
    // An answer of the hub may have been lost after it stored the message.
    const posted = new Set((await hub.history(job.jobId)).map(({ content }) => content))
    for (const { code, text } of notices) {
      if (!posted.has(text)) await hub.postMessage(job.jobId, text)
      await store.run(() => markPosted(job.id, code, formatInstant(machine.now())))
    }
    return true
  } catch (error) {
    if (error instanceof HubUnavailable) return false
    throw error
  }
}
