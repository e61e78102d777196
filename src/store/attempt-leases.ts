/** Leases: an attempt is worked on by one process at a time; another takes it only when the lease has run out (rulings 35). */
import { and, asc, eq, inArray, isNotNull, isNull, lt, or, type SQL } from "drizzle-orm"
import type { Attempt, AttemptState, Lease } from "./attempts.ts"
import { bind, bound, first, query, rows, type Unit } from "./unit.ts"

const renew = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseUntil: bound("until") })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.leaseOwner, bind("owner"))))
    .returning({ id: t.paymentAttempt.id }),
)

/** False: the lease is lost, stop working on the attempt. */
export function* renewLease(id: string, lease: Lease): Unit<boolean> {
  return (yield* first(renew, { id, ...lease })) !== undefined
}

/** At most this many attempts are taken over at once. */
export const TAKEN_AT_ONCE = 64

const OPEN_STATES = ["RESERVED", "VERIFIED", "SETTLING", "PAID_OWED"] as const satisfies readonly AttemptState[]

const free = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id, leaseUntil: t.paymentAttempt.leaseUntil, createdAt: t.paymentAttempt.createdAt })
    .from(t.paymentAttempt)
    .where(and(inArray(t.paymentAttempt.state, OPEN_STATES), isNull(t.paymentAttempt.leaseOwner)))
    .orderBy(asc(t.paymentAttempt.leaseUntil), asc(t.paymentAttempt.createdAt), asc(t.paymentAttempt.id))
    .limit(TAKEN_AT_ONCE),
)
const expired = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id, leaseUntil: t.paymentAttempt.leaseUntil, createdAt: t.paymentAttempt.createdAt })
    .from(t.paymentAttempt)
    .where(
      and(
        inArray(t.paymentAttempt.state, OPEN_STATES),
        isNotNull(t.paymentAttempt.leaseOwner),
        lt(t.paymentAttempt.leaseUntil, bind("now")),
      ),
    )
    .orderBy(asc(t.paymentAttempt.leaseUntil), asc(t.paymentAttempt.createdAt), asc(t.paymentAttempt.id))
    .limit(TAKEN_AT_ONCE),
)
const take = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: bound("owner"), leaseUntil: bound("until") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        or(isNull(t.paymentAttempt.leaseOwner), lt(t.paymentAttempt.leaseUntil, bind("now"))) as SQL,
      ),
    )
    .returning(),
)

/**
 * Takes over open attempts whose worker is gone: only expired or absent leases, {@link TAKEN_AT_ONCE} at most. The oldest come first:
 * those whose last lease ended first, so that one which is taken and given back again and again keeps no other waiting.
 */
export function* takeAbandoned(lease: Lease, now: string): Unit<Attempt[]> {
  const waiting = [...(yield* rows(free)), ...(yield* rows(expired, { now }))].sort(byPlace).slice(0, TAKEN_AT_ONCE)
  const taken: Attempt[] = []
  for (const { id } of waiting) {
    const attempt = yield* first(take, { id, now, ...lease })
    if (attempt) taken.push(attempt)
  }
  return taken
}

interface Place {
  readonly id: string
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

/** Takes one open attempt whose lease is free; null while another worker has it. */
export function* takeAttempt(id: string, lease: Lease, now: string): Unit<Attempt | null> {
  return (yield* first(take, { id, now, ...lease })) ?? null
}

const giveBack = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: null })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.leaseOwner, bind("owner"))))
    .returning({ id: t.paymentAttempt.id }),
)

/** Gives an open attempt back before the lease ends, so that the next look need not wait for it. */
export function* dropLease(id: string, owner: string): Unit<void> {
  yield* rows(giveBack, { id, owner })
}
