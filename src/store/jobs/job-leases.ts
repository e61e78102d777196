/**
 * Leases of jobs: one process at a time works on a job. `look_at` is both the next look and the end of a lease, so a job whose process died
 * becomes due again by itself.
 */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import type { Job, JobNumber, JobState } from "./jobs.ts"

/** Limit of jobs that one call takes. */
export const JOBS_AT_ONCE = 32

const due = query((db, t) =>
  db
    .select({ id: t.acpJob.id, lookAt: t.acpJob.lookAt })
    .from(t.acpJob)
    .where(and(isNotNull(t.acpJob.lookAt), lte(t.acpJob.lookAt, bind("now"))))
    .orderBy(asc(t.acpJob.lookAt), asc(t.acpJob.id))
    .limit(JOBS_AT_ONCE),
)
const ahead = query((db, t) =>
  db
    .select({ id: t.acpJob.id, lookAt: t.acpJob.lookAt })
    .from(t.acpJob)
    .where(and(isNotNull(t.acpJob.lookAt), gt(t.acpJob.lookAt, bind("horizon"))))
    .orderBy(asc(t.acpJob.lookAt), asc(t.acpJob.id))
    .limit(JOBS_AT_ONCE),
)
const take = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ leaseOwner: bound("owner"), lookAt: bound("until") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.lookAt, bind("seen"))))
    .returning(),
)

export interface JobLease {
  readonly owner: string
  /** RFC 3339. */
  readonly until: string
}

/**
 * Leases the jobs that are due, longest waiting first, at most {@link JOBS_AT_ONCE}. `horizon`: no look is planned after it, so a later one
 * comes from a clock that was wrong, and the job is due too.
 */
export function* takeDueJobs({ owner, until }: JobLease, now: string, horizon: string): Unit<Job[]> {
  const places = [...(yield* rows(due, { now })), ...(yield* rows(ahead, { horizon }))].slice(0, JOBS_AT_ONCE)
  const taken: Job[] = []
  for (const { id, lookAt } of places) {
    const job = yield* first(take, { id, seen: lookAt, owner, until })
    if (job) taken.push(job)
  }
  return taken
}

const plan = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ lookAt: bound("until") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.leaseOwner, bind("owner")), isNotNull(t.acpJob.lookAt)))
    .returning({ id: t.acpJob.id }),
)

/** False: the lease is lost, or nothing is left to do; stop work on the job. */
export function* renewJobLease(id: string, { owner, until }: JobLease): Unit<boolean> {
  return (yield* first(plan, { id, owner, until })) !== undefined
}

const giveBack = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ leaseOwner: null, lookAt: bound("lookAt"), reason: bound("reason") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.leaseOwner, bind("owner")), isNotNull(t.acpJob.lookAt)))
    .returning({ id: t.acpJob.id }),
)

/** Ends the lease and plans the next look. `reason`: what the job waits for. */
export function* planLook(id: string, owner: string, lookAt: string, reason: string | null): Unit<void> {
  yield* rows(giveBack, { id, owner, lookAt, reason })
}

const wake = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ lookAt: bound("now") })
    .where(
      and(
        eq(t.acpJob.chainId, bind("chainId")),
        eq(t.acpJob.contract, bind("contract")),
        eq(t.acpJob.jobId, bind("jobId")),
        isNull(t.acpJob.leaseOwner),
        gt(t.acpJob.lookAt, bind("now")),
      ),
    )
    .returning({ id: t.acpJob.id }),
)

/** Makes a job due that waits for its next look. A job in work, or with nothing left to do, is not changed. */
export function* wakeJob({ chainId, contract, jobId }: JobNumber, now: string): Unit<boolean> {
  return (yield* first(wake, { chainId, contract, jobId, now })) !== undefined
}

const revive = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ lookAt: bound("now") })
    .where(
      and(
        eq(t.acpJob.chainId, bind("chainId")),
        eq(t.acpJob.contract, bind("contract")),
        eq(t.acpJob.jobId, bind("jobId")),
        isNull(t.acpJob.lookAt),
        inArray(t.acpJob.state, DELIVERED_STATES),
      ),
    )
    .returning({ id: t.acpJob.id }),
)

/** Ended jobs with a frozen delivery. */
const DELIVERED_STATES = ["COMPLETED", "REJECTED", "EXPIRED", "UNPAID_AFTER_DELIVERY"] as const satisfies JobState[]

/** Makes an ended job with a delivery due once more: its buyer may ask for the delivery again. */
export function* reviveJob({ chainId, contract, jobId }: JobNumber, now: string): Unit<boolean> {
  return (yield* first(revive, { chainId, contract, jobId, now })) !== undefined
}
