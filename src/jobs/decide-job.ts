/** Decides a job whose funding is safe, through the gates and records of the paid route. Nothing is released here. */

import { ServiceError } from "../base/errors.ts"
import { formatInstant } from "../core/time.ts"
import type { Computed, Refused, Reserved, StoredRequest } from "../delivery/sale.ts"
import type { Unit } from "../store/engine/unit.ts"
import { isHeld, moveJob } from "../store/jobs/job-moves.ts"
import type { Job } from "../store/jobs/jobs.ts"
import { keepComputed } from "../store/sales/deliveries.ts"
import { dropHolds } from "../store/sales/holds.ts"
import { countAgainst, findRequest, moveRequest } from "../store/sales/requests.ts"
import { newestHead, onEachNode, secondsLeft } from "./chain-time.ts"
import type { AcpDeps } from "./deps.ts"
import { LOST, MOVED, type Next, wait } from "./step.ts"
import { ACQUIRE_SECONDS_MIN, POLL_MS } from "./terms.ts"
import { missJob, withdrawnNext } from "./withdraw-purchase.ts"

/** FUNDING_SAFE. Throws RpcUnavailable. */
export async function decideJob(deps: AcpDeps, job: Job): Promise<Next> {
  const late = await lateNext(deps, job)
  if (late) return late
  const { store, machine, sold, owner } = deps
  const now = machine.now()
  const taken = await store.run(() => reserveAgain(deps, job, now))
  if (taken === "lost") return LOST
  // The reason may pass before the deadline; a revoked authority does not, and then the deadline ends the job.
  if ("refused" in taken) return notDecided(deps, job, taken.refused)
  let computed: Computed
  try {
    computed = await sold.product.compute(taken.request, taken.reserved.records, now)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    deps.log.warn("acp_decision_waits", { job: job.jobId, code: error.code })
    return notDecided(deps, job, error.code)
  }
  const { snapshotIds, ...delivery } = computed
  const at = formatInstant(machine.now())
  const move = { job, owner, at, to: "DECISION_READY", detail: delivery.answerId } as const
  const kept = await store.run(function* (): Unit<boolean> {
    if (!(yield* moveJob(move))) return false
    const requestId = taken.request.id
    if (!(yield* keepComputed({ ...delivery, requestId, purchaseId: job.id }, snapshotIds))) {
      throw new Error("the purchase of a computed decision is gone")
    }
    yield* moveRequest(requestId, "COMPUTED", at)
    return true
  })
  if (!kept) return LOST
  await deps.trace?.("computed")
  return MOVED
}

/** The job is tried again until its deadline, unless its client took the money back. */
async function notDecided(deps: AcpDeps, job: Job, reason: string): Promise<Next> {
  return (await withdrawnNext(deps, job)) ?? wait(POLL_MS.hub, reason)
}

/**
 * Reads the records again, because they may have changed since the requirement was frozen. A refusal leaves its holds as they were. The
 * buyer has paid, so a decision that covers the obligation refuses nothing.
 */
function* reserveAgain(
  { sold, owner }: AcpDeps,
  job: Job,
  now: number,
): Unit<"lost" | Refused | { readonly request: StoredRequest; readonly reserved: Reserved }> {
  if (!(yield* isHeld(job, owner))) return "lost"
  const request = yield* findRequest(job.requestId ?? "")
  if (!request) throw new Error("a job with a frozen requirement has no request")
  const judged = yield* sold.product.reserve(request, now, "DECIDE")
  if ("refused" in judged) return judged
  // What the request relied on before and does not rely on now must not stay held.
  yield* dropHolds(request.id)
  const reserved = yield* sold.product.reserve(request, now, "DECIDE")
  if ("refused" in reserved) throw new Error("a request was reserved and refused in one unit")
  yield* countAgainst(request.id, reserved.delegationsUsed)
  return { request, reserved }
}

/**
 * What to do when too little time is left to acquire: wait for a safe block past that time, which no reorganization takes back, then miss the
 * deadline. Null while there is time. Throws RpcUnavailable.
 */
export async function lateNext(deps: AcpDeps, job: Job): Promise<Next | null> {
  if (secondsLeft(deps, job, await newestHead(deps)) >= ACQUIRE_SECONDS_MIN) return null
  const blocks = await onEachNode(deps.chain, (node) => node.block("safe"))
  if (blocks.some(({ timestamp }) => timestamp < job.expiredAt - ACQUIRE_SECONDS_MIN)) {
    return wait(POLL_MS.chain, "DEADLINE_CLOSE")
  }
  deps.log.error("acp_deadline_missed", { job: job.jobId, state: job.state, reason: job.reason })
  return missJob(deps, job, {
    to: "DEADLINE_MISSED",
    detail: job.reason ?? "DEADLINE_CLOSE",
    tell: {
      code: "DEADLINE_MISSED",
      detail:
        "The decision was not ready in time. Nothing is delivered and nothing is claimed; claim the refund after the deadline.",
    },
  })
}
