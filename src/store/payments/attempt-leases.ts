/**
 * Leases: only one process at a time works on an attempt. Another process takes it only after the lease has expired (rulings 35). Unlike the rows
 * of `../lease.ts` an open attempt waits for nothing: it is due whenever nobody has it, and the end of its last lease is its place in the queue.
 */
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, or, type SQL } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { type Lease, takeable } from "../lease.ts"
import type { Attempt, AttemptState } from "./attempts.ts"

const renew = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseUntil: bound("until") })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.leaseOwner, bind("owner"))))
    .returning({ id: t.paymentAttempt.id }),
)

/** False: the lease is lost; stop work on the attempt. */
export function* renewLease(id: string, lease: Lease): Unit<boolean> {
  return (yield* first(renew, { id, ...lease })) !== undefined
}

/** Limit of attempts that one call takes over. */
export const TAKEN_AT_ONCE = 64

const OPEN_STATES = ["RESERVED", "VERIFIED", "SETTLING", "PAID_OWED"] as const satisfies readonly AttemptState[]

/** Open attempts that meet one more condition, in queue order. */
function openWhere(condition: (columns: Tables["paymentAttempt"]) => SQL | undefined) {
  return query((db, { paymentAttempt: t }) =>
    db
      .select({ id: t.id, leaseOwner: t.leaseOwner, leaseUntil: t.leaseUntil, createdAt: t.createdAt })
      .from(t)
      .where(and(inArray(t.state, OPEN_STATES), condition(t)))
      .orderBy(asc(t.leaseUntil), asc(t.createdAt), asc(t.id))
      .limit(TAKEN_AT_ONCE),
  )
}

const free = openWhere((t) => isNull(t.leaseOwner))
const expired = openWhere((t) => and(isNotNull(t.leaseOwner), lt(t.leaseUntil, bind("now"))))
const ahead = openWhere((t) => and(isNotNull(t.leaseOwner), gt(t.leaseUntil, bind("horizon"))))

const take = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: bound("owner"), leaseUntil: bound("until") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        or(
          isNull(t.paymentAttempt.leaseOwner),
          lt(t.paymentAttempt.leaseUntil, bind("now")),
          gt(t.paymentAttempt.leaseUntil, bind("horizon")),
        ) as SQL,
      ),
    )
    .returning(),
)

/**
 * A valid lease ends at most two lease lengths after `now`. A later end comes from a clock that ran ahead or was set back later; it would
 * hold the attempt for as long as the clock was wrong.
 */
function horizonOf({ until }: Lease, now: string): string {
  return formatInstant(2 * instant(until) - instant(now))
}

/**
 * Takes over open attempts whose worker is gone, at most {@link TAKEN_AT_ONCE}: only those with an absent, expired or impossible lease. The
 * earliest ended lease comes first, so that an attempt which is taken and dropped repeatedly does not delay others.
 */
export function* takeAbandoned(lease: Lease, now: string): Unit<Attempt[]> {
  const horizon = horizonOf(lease, now)
  const places = [...(yield* rows(free)), ...(yield* rows(expired, { now })), ...(yield* rows(ahead, { horizon }))]
  const waiting = [...(yield* takeable(places, lease.owner))].sort(byPlace).slice(0, TAKEN_AT_ONCE)
  const taken: Attempt[] = []
  for (const { id } of waiting) {
    const attempt = yield* first(take, { id, now, horizon, ...lease })
    if (attempt) taken.push(attempt)
  }
  return taken
}

interface Place {
  readonly id: string
  readonly leaseOwner: string | null
  readonly leaseUntil: string | null
  readonly createdAt: string
}

function byPlace(one: Place, other: Place): number {
  return (
    compareText(one.leaseUntil ?? "", other.leaseUntil ?? "") ||
    compareText(one.createdAt, other.createdAt) ||
    compareText(one.id, other.id)
  )
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

const release = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: null })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.leaseOwner, bind("owner"))))
    .returning({ id: t.paymentAttempt.id }),
)

/** Releases an open attempt before its lease ends, so that the next poll need not wait. */
export function* dropLease(id: string, owner: string): Unit<void> {
  yield* rows(release, { id, owner })
}
