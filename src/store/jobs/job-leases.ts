/** Leases of jobs: one process at a time works on a job. */
import { and, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm"
import { bind, bound, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { dropRow, dueRows, type Lease, releaseRow, rowsAhead, takeDue, takeRow } from "../lease.ts"
import type { Job, JobNumber, JobState } from "./jobs.ts"

/** Limit of jobs that one call takes. */
export const JOBS_AT_ONCE = 32

const acpJob = (tables: Tables) => tables.acpJob
const due = dueRows(acpJob, JOBS_AT_ONCE)
const ahead = rowsAhead(acpJob, JOBS_AT_ONCE)
const take = takeRow(acpJob)

/** Leases the jobs that are due, longest waiting first, at most {@link JOBS_AT_ONCE}. */
export function takeDueJobs(lease: Lease, now: string, horizon: string): Unit<Job[]> {
  return takeDue({ due, ahead, take, most: JOBS_AT_ONCE }, lease, { now, horizon })
}

const plan = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ lookAt: bound("until") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.leaseOwner, bind("owner")), isNotNull(t.acpJob.lookAt)))
    .returning({ id: t.acpJob.id }),
)

/** False: the lease is lost, or nothing is left to do; stop work on the job. */
export function* renewJobLease(id: string, { owner, until }: Lease): Unit<boolean> {
  return (yield* first(plan, { id, owner, until })) !== undefined
}

const release = releaseRow(acpJob)

/** Ends the lease and plans the next poll. `reason`: what the job waits for. */
export function* planPoll(id: string, owner: string, lookAt: string, reason: string | null): Unit<void> {
  yield* rows(release, { id, owner, lookAt, reason })
}

const drop = dropRow(acpJob)

/** Ends the lease of a job that had no turn. It is due now. */
export function* dropJobLease(id: string, owner: string, now: string): Unit<void> {
  yield* rows(drop, { id, owner, now })
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

/** Makes a job due that waits for its next poll. A job in work, or with nothing left to do, is not changed. */
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
