/** Jobs of the escrow contract in which this service is the provider. */
import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

/** States without a purchase. */
export const BEFORE_PURCHASE = ["SEEN", "AWAITING_REQUIREMENT"] as const

export type JobState =
  | (typeof BEFORE_PURCHASE)[number]
  | "REQUIREMENT_VERIFIED"
  | "BUDGET_PREPARED"
  | "BUDGET_PROPOSED"
  | "FUNDING_SEEN"
  | "FUNDING_SAFE"
  | "DECISION_READY"
  | "DELIVERABLE_FROZEN"
  | "DELIVERABLE_POSTED"
  | "SUBMIT_PREPARED"
  | "SUBMITTED"
  | "SUBMITTED_SAFE"
  | "COMPLETED"
  | "REJECTED"
  | "EXPIRED"
  | "REFUSED"
  | "WITHDRAWN"
  | "DEADLINE_MISSED"
  | "FUNDING_MISMATCH"
  | "SUBMIT_MISMATCH"
  | "UNPAID_AFTER_DELIVERY"

/** What the chain says about a job when it is created. Addresses in lower case. */
export interface JobTerms {
  readonly client: string
  readonly provider: string
  readonly evaluator: string
  readonly hook: string
  /** Seconds since the epoch, on the chain's clock. */
  readonly expiredAt: number
}

/** Which job of which contract. `jobId` in decimal digits, `contract` in lower case. */
export interface JobNumber {
  readonly chainId: number
  readonly contract: string
  readonly jobId: string
}

export interface Job extends JobNumber, JobTerms {
  /** Also the id of its purchase, once its requirement is frozen. */
  readonly id: string
  /** Decimal number of the block in which the job was found. */
  readonly createdBlock: string
  readonly state: JobState
  /** Why it is in this state, or what it waits for: upper case. */
  readonly reason: string | null
  readonly requestId: string | null
  /** C14N of the final requirement. */
  readonly requirementJson: string | null
  readonly requirementDigest: string | null
  readonly bindingDigest: string | null
  /** JSON of the funding as observed in a safe block. */
  readonly fundingJson: string | null
  readonly leaseOwner: string | null
  /** When the worker polls next, RFC 3339; null when nothing is left to do. */
  readonly lookAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** When a later job got its number, RFC 3339. */
  readonly replacedAt: string | null
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.acpJob)
    .where(eq(t.acpJob.id, bind("id"))),
)

export function* findJob(id: string): Unit<Job | null> {
  return (yield* first(byId, { id })) ?? null
}

const byNumber = query((db, t) =>
  db
    .select()
    .from(t.acpJob)
    .where(
      and(
        eq(t.acpJob.chainId, bind("chainId")),
        eq(t.acpJob.contract, bind("contract")),
        eq(t.acpJob.jobId, bind("jobId")),
        isNull(t.acpJob.replacedAt),
      ),
    ),
)

/** The job that has this number now. */
export function* findJobByNumber({ chainId, contract, jobId }: JobNumber): Unit<Job | null> {
  return (yield* first(byNumber, { chainId, contract, jobId })) ?? null
}

const numbered = query((db, t) =>
  db
    .select()
    .from(t.acpJob)
    .where(eq(t.acpJob.jobId, bind("jobId")))
    .orderBy(t.acpJob.createdAt, t.acpJob.id)
    .limit(16),
)

/** Jobs with this number in any contract. */
export function* jobsOfNumber(jobId: string): Unit<Job[]> {
  return yield* rows(numbered, { jobId })
}

const insert = query((db, t) =>
  db
    .insert(t.acpJob)
    .values({
      id: bind("id"),
      chainId: bind("chainId"),
      contract: bind("contract"),
      jobId: bind("jobId"),
      client: bind("client"),
      provider: bind("provider"),
      evaluator: bind("evaluator"),
      hook: bind("hook"),
      expiredAt: bind("expiredAt"),
      createdBlock: bind("createdBlock"),
      state: "SEEN",
      lookAt: bind("at"),
      createdAt: bind("at"),
      updatedAt: bind("at"),
    })
    .onConflictDoNothing()
    .returning({ id: t.acpJob.id }),
)

export interface NewJob extends JobNumber, JobTerms {
  readonly id: string
  readonly createdBlock: string
  /** RFC 3339. */
  readonly at: string
}

/** Stores a job at its first sight. False: it is known. */
export function* recordJob(job: NewJob): Unit<boolean> {
  if (!(yield* first(insert, { ...job }))) return false
  yield* noteJobEvent(job.id, { from: null, to: "SEEN", at: job.at, detail: `block ${job.createdBlock}` })
  return true
}

const replace = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ replacedAt: bound("at") })
    .where(and(eq(t.acpJob.id, bind("id")), inArray(t.acpJob.state, REPLACEABLE), isNull(t.acpJob.replacedAt)))
    .returning({ id: t.acpJob.id }),
)

/** Nothing was paid for a job in these states, and nothing will be. */
const REPLACEABLE = ["REFUSED", "WITHDRAWN"] as const satisfies JobState[]

export function isReplaceable({ state }: Pick<Job, "state">): boolean {
  return (REPLACEABLE as readonly JobState[]).includes(state)
}

/** Stores the job that has the number of `id` now. False: another worker did, or the job is not replaceable. */
export function* recordSuccessor(id: string, job: NewJob): Unit<boolean> {
  if (!(yield* first(replace, { id, at: job.at }))) return false
  return yield* recordJob(job)
}

const event = query((db, t) =>
  db
    .insert(t.acpEvent)
    .values({
      job: bind("job"),
      at: bind("at"),
      fromState: bind("from"),
      toState: bind("to"),
      detail: bind("detail"),
    })
    .returning({ id: t.acpEvent.id }),
)

/** `from` null: the job is new. `at`: RFC 3339. */
export function* noteJobEvent(
  job: string,
  {
    from,
    to,
    at,
    detail,
  }: { readonly from: JobState | null; readonly to: JobState; readonly at: string; readonly detail: string },
): Unit<void> {
  yield* rows(event, { job, at, from, to, detail })
}

/** Limit of the history that is read of one job. */
const EVENTS_MAX = 200
const history = query((db, t) =>
  db
    .select()
    .from(t.acpEvent)
    .where(eq(t.acpEvent.job, bind("job")))
    .orderBy(t.acpEvent.id)
    .limit(EVENTS_MAX),
)

interface JobEvent {
  readonly at: string
  readonly fromState: string | null
  readonly toState: string
  readonly detail: string
}

/** The moves of a job, oldest first. */
export function* jobEvents(job: string): Unit<JobEvent[]> {
  return yield* rows(history, { job })
}

const waitingOfClient = query((db, t) =>
  db
    .select({ id: t.acpJob.id })
    .from(t.acpJob)
    .where(
      and(
        eq(t.acpJob.client, bind("client")),
        inArray(t.acpJob.state, BEFORE_PURCHASE),
        sql`(${t.acpJob.createdAt}, ${t.acpJob.id}) < (${bind("before")}, ${bind("beforeId")})`,
      ),
    )
    .limit(bind("limit")),
)

/**
 * How many earlier jobs of the same client have no frozen requirement; counts at most to `limit`. Later ones do not count, so that of many
 * new jobs the first ones pass, in whatever order they are judged.
 */
export function* countWaitingBefore(
  { client, createdAt, id }: Pick<Job, "client" | "createdAt" | "id">,
  limit: number,
): Unit<number> {
  return (yield* rows(waitingOfClient, { client, before: createdAt, beforeId: id, limit })).length
}

export const JOBS_PAGE = 50
const newest = query((db, t) =>
  db
    .select()
    .from(t.acpJob)
    .where(sql`(${t.acpJob.createdAt}, ${t.acpJob.id}) < (${bind("before")}, ${bind("beforeId")})`)
    .orderBy(desc(t.acpJob.createdAt), desc(t.acpJob.id))
    .limit(JOBS_PAGE),
)

/** Jobs before a place, newest first, at most {@link JOBS_PAGE}. Null: from the newest. */
export function* jobsBefore(place: Pick<Job, "createdAt" | "id"> | null): Unit<Job[]> {
  return yield* rows(newest, { before: place?.createdAt ?? "9999", beforeId: place?.id ?? "" })
}
