/**
 * Moves of a job. Each is one conditional update by (id, state, lease owner) that must change one row: a worker whose update changes nothing
 * has lost the job and stops. Every move is an event.
 */
import { and, eq } from "drizzle-orm"
import { bind, bound, first, query, type Unit } from "../engine/unit.ts"
import { dropComputed } from "../sales/deliveries.ts"
import { dropHolds } from "../sales/holds.ts"
import { movePurchase, openPurchase } from "../sales/purchase-moves.ts"
import { moveRequest } from "../sales/requests.ts"
import { type BEFORE_PURCHASE, findJob, type Job, type JobState, type JobTerms, noteJobEvent } from "./jobs.ts"

export interface JobMove {
  readonly job: Pick<Job, "id" | "state">
  readonly owner: string
  /** RFC 3339. */
  readonly at: string
  readonly to: JobState
  readonly detail: string
  /** Why it stays in the new state. */
  readonly reason?: string
}

const move = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ state: bound("to"), reason: bound("reason"), updatedAt: bound("at") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.state, bind("from")), eq(t.acpJob.leaseOwner, bind("owner"))))
    .returning({ id: t.acpJob.id }),
)

/** Keeps the lease. False: the lease or the state is lost; stop. */
export function* moveJob({ job, owner, at, to, detail, reason }: JobMove): Unit<boolean> {
  if (!(yield* first(move, { id: job.id, from: job.state, to, owner, at, reason: reason ?? null }))) return false
  yield* noteJobEvent(job.id, { from: job.state, to, at, detail })
  return true
}

const finish = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ leaseOwner: null, lookAt: null, updatedAt: bound("at") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.state, bind("state")), eq(t.acpJob.leaseOwner, bind("owner"))))
    .returning({ id: t.acpJob.id }),
)

/** Nothing is left to do in the state that the job has. */
export function* finishJob({ id, state }: Pick<Job, "id" | "state">, owner: string, at: string): Unit<boolean> {
  return (yield* first(finish, { id, state, owner, at })) !== undefined
}

const retell = query((db, t) =>
  db
    .update(t.acpJob)
    .set({
      state: "SEEN",
      client: bound("client"),
      provider: bound("provider"),
      evaluator: bound("evaluator"),
      hook: bound("hook"),
      expiredAt: bound("expiredAt"),
      updatedAt: bound("at"),
    })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.state, bind("from")), eq(t.acpJob.leaseOwner, bind("owner"))))
    .returning({ id: t.acpJob.id }),
)

/**
 * Corrects the terms of a job that a reorganization created again with others, and moves it back to SEEN. Only before anything relies on
 * them.
 */
export function* correctTerms(
  { id, state }: Pick<Job, "id"> & { readonly state: (typeof BEFORE_PURCHASE)[number] },
  owner: string,
  terms: JobTerms,
  at: string,
): Unit<boolean> {
  const { client, provider, evaluator, hook, expiredAt } = terms
  const columns = { client, provider, evaluator, hook, expiredAt }
  if (!(yield* first(retell, { id, from: state, owner, at, ...columns }))) return false
  yield* noteJobEvent(id, { from: state, to: "SEEN", at, detail: "created again with other terms" })
  return true
}

const freeze = query((db, t) =>
  db
    .update(t.acpJob)
    .set({
      state: "REQUIREMENT_VERIFIED",
      reason: null,
      requestId: bound("requestId"),
      requirementJson: bound("requirementJson"),
      requirementDigest: bound("requirementDigest"),
      bindingDigest: bound("bindingDigest"),
      updatedAt: bound("at"),
    })
    .where(
      and(
        eq(t.acpJob.id, bind("id")),
        eq(t.acpJob.state, "AWAITING_REQUIREMENT"),
        eq(t.acpJob.leaseOwner, bind("owner")),
      ),
    )
    .returning({ id: t.acpJob.id }),
)

interface FrozenRequirement {
  readonly requestId: string
  readonly requirementJson: string
  readonly requirementDigest: string
  readonly bindingDigest: string
}

/** Whether this worker still has the job in the state that it read. Inside a unit, what follows then cannot lose it. */
export function* isHeld({ id, state }: Pick<Job, "id" | "state">, owner: string): Unit<boolean> {
  const now = yield* findJob(id)
  return now?.state === state && now.leaseOwner === owner
}

/**
 * Binds the job to its requirement and opens its purchase. INVARIANT: the unit has checked {@link isHeld} and that no purchase has the
 * request, and has taken the holds. Anything else is a bug, and the error rolls the unit back.
 */
export function* freezeJobRequirement(
  { id }: Pick<Job, "id">,
  owner: string,
  frozen: FrozenRequirement,
  at: string,
): Unit<void> {
  const { requestId, requirementJson, requirementDigest, bindingDigest } = frozen
  const columns = { requestId, requirementJson, requirementDigest, bindingDigest }
  const isOpened = yield* openPurchase({ id, requestId, rail: "acp", createdAt: at })
  if (!isOpened || !(yield* first(freeze, { id, owner, at, ...columns }))) {
    throw new Error("a requirement was frozen for a job or a request of another worker")
  }
  yield* noteJobEvent(id, { from: "AWAITING_REQUIREMENT", to: "REQUIREMENT_VERIFIED", at, detail: requirementDigest })
}

const keepFunding = query((db, t) =>
  db
    .update(t.acpJob)
    .set({ fundingJson: bound("fundingJson") })
    .where(and(eq(t.acpJob.id, bind("id")), eq(t.acpJob.leaseOwner, bind("owner"))))
    .returning({ id: t.acpJob.id }),
)

/** Moves a job to FUNDING_SAFE with the funding as observed. */
export function* keepSafeFunding(move: Omit<JobMove, "to">, fundingJson: string): Unit<boolean> {
  if (!(yield* moveJob({ ...move, to: "FUNDING_SAFE" }))) return false
  yield* first(keepFunding, { id: move.job.id, owner: move.owner, fundingJson })
  return true
}

/**
 * Ends the purchase of a job that will never be delivered: its computed decision and its holds are dropped, and its request may be bought
 * again. INVARIANT: the caller proved by a safe block that the job cannot be funded any more, or has booked that it will not be delivered.
 */
export function* endPurchaseOfJob({ id, requestId }: Pick<Job, "id" | "requestId">, at: string): Unit<void> {
  if (requestId === null) return
  yield* movePurchase(id, "LIVE", "ENDED", null)
  yield* dropComputed(requestId)
  yield* dropHolds(requestId)
  yield* moveRequest(requestId, "NEW", at)
}

/** Ends the purchase with the delivery: called by the unit that finishes the answer. `reference` names the funding. */
export function* acquireJobPurchase({ id }: Pick<Job, "id">, reference: string): Unit<void> {
  yield* movePurchase(id, "LIVE", "ACQUIRED", reference)
}
