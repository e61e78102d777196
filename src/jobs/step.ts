/** What one poll of a job does. A step returns what comes next; it moves the job itself, in one unit. */
import { formatInstant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { queueNotice } from "../store/jobs/job-entries.ts"
import { type JobMove, moveJob } from "../store/jobs/job-moves.ts"
import type { Job, JobState } from "../store/jobs/jobs.ts"
import type { AcpDeps, JobStep } from "./deps.ts"

/**
 * MOVED: poll again at once. WAIT: poll again after `afterMs`; `reason` says what the job waits for. ENDED: nothing is left to do;
 * `isServed`: the chat was read after that, and the hub took what it asked for. LOST: another process has the job.
 */
export type Next =
  | { readonly kind: "MOVED" }
  | { readonly kind: "WAIT"; readonly afterMs: number; readonly reason: string | null }
  | { readonly kind: "ENDED"; readonly isServed?: boolean }
  | { readonly kind: "LOST" }

export const MOVED: Next = { kind: "MOVED" }
export const ENDED: Next = { kind: "ENDED" }
export const LOST: Next = { kind: "LOST" }

export function wait(afterMs: number, reason: string | null): Next {
  return { kind: "WAIT", afterMs, reason }
}

/** A message to the buyer. `code` in upper case; each code is posted once in a job. */
export interface Told {
  readonly code: string
  readonly detail: string
}

export interface Change {
  readonly to: JobState
  readonly detail: string
  readonly tell?: Told
  /** Nothing is left to do in the new state. The detail is then also its reason. */
  readonly ends?: boolean
  /** Why it is in the new state, if that is not the end. */
  readonly reason?: string
  /** Runs in the same unit, after the move. */
  readonly also?: (at: string) => Unit<void>
  readonly step?: JobStep
}

/** Moves the job in one unit with everything that belongs to the move. */
export async function change(
  deps: AcpDeps,
  job: Job,
  { to, detail, tell, ends, reason, also, step }: Change,
): Promise<Next> {
  const { store, machine, owner } = deps
  const at = formatInstant(machine.now())
  const why = ends ? detail : reason
  const move: JobMove = { job, owner, at, to, detail, ...(why !== undefined && { reason: why }) }
  const moved = await store.run(function* (): Unit<boolean> {
    if (!(yield* moveJob(move))) return false
    if (also) yield* also(at)
    if (tell) yield* queueNotice(job.id, tell.code, noticeText(job, tell), at)
    return true
  })
  if (!moved) return LOST
  deps.log.info("acp_job_moved", { job: job.jobId, from: job.state, to, reason: detail })
  if (step) await deps.trace?.(step)
  return ends ? ENDED : MOVED
}

/** Queues a message without a move. */
export async function tellOnce({ store, machine }: AcpDeps, job: Job, told: Told): Promise<void> {
  const at = formatInstant(machine.now())
  await store.run(() => queueNotice(job.id, told.code, noticeText(job, told), at))
}

/** CHOICE: messages to the buyer are JSON, because a program reads them. */
function noticeText({ chainId, jobId }: Pick<Job, "chainId" | "jobId">, { code, detail }: Told): string {
  return JSON.stringify({ type: "svc.acp.notice.v1", chain_id: chainId, on_chain_job_id: jobId, code, detail })
}
