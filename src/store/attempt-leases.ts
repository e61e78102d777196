/** Leases: an attempt is worked on by one process at a time; another takes it only when the lease has run out (rulings 35). */
import { and, asc, eq, gt, inArray, isNull, lt, or, type SQL } from "drizzle-orm"
import { formatInstant, instant } from "../core/time.ts"
import type { Attempt, Lease } from "./attempts.ts"
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

const open = query((db, t) =>
  db
    .select({ id: t.paymentAttempt.id })
    .from(t.paymentAttempt)
    .where(
      and(
        inArray(t.paymentAttempt.state, ["RESERVED", "VERIFIED", "SETTLING", "PAID_OWED"]),
        or(
          isNull(t.paymentAttempt.leaseUntil),
          lt(t.paymentAttempt.leaseUntil, bind("now")),
          gt(t.paymentAttempt.leaseUntil, bind("horizon")),
        ),
      ),
    )
    .orderBy(asc(t.paymentAttempt.createdAt))
    .limit(64),
)
const take = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: bound("owner"), leaseUntil: bound("until") })
    .where(
      and(
        eq(t.paymentAttempt.id, bind("id")),
        or(
          isNull(t.paymentAttempt.leaseUntil),
          lt(t.paymentAttempt.leaseUntil, bind("now")),
          gt(t.paymentAttempt.leaseUntil, bind("horizon")),
        ) as SQL,
      ),
    )
    .returning(),
)

/**
 * No live worker holds a lease that ends later than two lease lengths from `now`: one that does was taken under a clock that ran
 * ahead, or before the clock was set back, and would keep the attempt for as long as the clock was wrong.
 */
function horizonOf({ until }: Lease, now: string): string {
  return formatInstant(2 * instant(until) - instant(now))
}

/** Takes over open attempts whose worker is gone: only absent, expired or impossible leases, oldest first, at most 64. */
export function* takeAbandoned(lease: Lease, now: string): Unit<Attempt[]> {
  const taken: Attempt[] = []
  const horizon = horizonOf(lease, now)
  for (const { id } of yield* rows(open, { now, horizon })) {
    const attempt = yield* first(take, { id, now, horizon, ...lease })
    if (attempt) taken.push(attempt)
  }
  return taken
}

/** Takes one open attempt whose lease is free; null while another worker has it. */
export function* takeAttempt(id: string, lease: Lease, now: string): Unit<Attempt | null> {
  return (yield* first(take, { id, now, horizon: horizonOf(lease, now), ...lease })) ?? null
}

const freeLease = query((db, t) =>
  db
    .update(t.paymentAttempt)
    .set({ leaseOwner: null, leaseUntil: null })
    .where(and(eq(t.paymentAttempt.id, bind("id")), eq(t.paymentAttempt.leaseOwner, bind("owner"))))
    .returning({ id: t.paymentAttempt.id }),
)

/** Gives an open attempt back before the lease ends, so that the next look need not wait for it. */
export function* dropLease(id: string, owner: string): Unit<void> {
  yield* rows(freeLease, { id, owner })
}
