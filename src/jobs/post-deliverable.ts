/** Gives the frozen text to the hub, always the same bytes. Nothing is submitted before the hub has it. */
import { formatInstant } from "../core/time.ts"
import { findDeliverable, markDeliverablePosted } from "../store/jobs/job-deliverables.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { newestHead, secondsLeft } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { HubUnavailable } from "./hub/hub.ts"
import { change, type Next, wait } from "./step.ts"
import { unpaidNext } from "./submit-deliverable.ts"
import { POLL_MS, SUBMIT_SECONDS_MIN } from "./terms.ts"

/** DELIVERABLE_FROZEN. Throws RpcUnavailable. */
export async function postDeliverable(deps: AcpDeps, job: Job): Promise<Next> {
  const { store, hub, machine } = deps
  const deliverable = await store.read(() => findDeliverable(job.id))
  if (!deliverable) throw new Error("a frozen delivery has no text")
  try {
    // The hub may have the text although its answer was lost. Posting it again changes nothing.
    await hub.postDeliverable(job.jobId, deliverable.text)
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error
    if (secondsLeft(deps, job, await newestHead(deps)) >= SUBMIT_SECONDS_MIN)
      return wait(POLL_MS.hub, "HUB_UNAVAILABLE")
    return (await unpaidNext(deps, job)) ?? wait(POLL_MS.hub, "HUB_UNAVAILABLE")
  }
  const at = formatInstant(machine.now())
  return change(deps, job, {
    to: "DELIVERABLE_POSTED",
    detail: deliverable.sha256,
    also: () => markDeliverablePosted(job.id, at),
    step: "deliverable_posted",
  })
}
