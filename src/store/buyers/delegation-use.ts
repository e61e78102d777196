/**
 * The use of delegations. A request counts against its delegations while it has a live attempt, on the UTC day of that attempt. The sums
 * are stored and change in the unit that moves the attempt, so checking a limit takes two look-ups.
 */
import { and, eq, gte, sql } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

/** Delegations whose limits a request counts against: that of the requesting key, and that of the key that signed the mandate. */
export interface DelegationsUsed {
  readonly delegationId: string | null
  readonly mandateDelegationId: string | null
}

const totalOf = query((db, t) =>
  db
    .select({ millionths: t.delegationTotal.millionths })
    .from(t.delegationTotal)
    .where(eq(t.delegationTotal.delegationId, bind("delegationId"))),
)
const daysFrom = query((db, t) =>
  db
    .select({ requests: t.delegationDay.requests })
    .from(t.delegationDay)
    .where(and(eq(t.delegationDay.delegationId, bind("delegationId")), gte(t.delegationDay.day, bind("day")))),
)
const putTotal = query((db, t) =>
  db
    .insert(t.delegationTotal)
    .values({ delegationId: bind("delegationId"), millionths: bind("millionths") })
    .onConflictDoUpdate({ target: t.delegationTotal.delegationId, set: { millionths: bound("millionths") } })
    .returning({ delegationId: t.delegationTotal.delegationId }),
)
const countOne = query((db, t) =>
  db
    .insert(t.delegationDay)
    .values({ delegationId: bind("delegationId"), day: bind("day"), requests: 1 })
    .onConflictDoUpdate({
      target: [t.delegationDay.delegationId, t.delegationDay.day],
      set: { requests: sql`${t.delegationDay.requests} + 1` },
    })
    .returning({ requests: t.delegationDay.requests }),
)
// The column's CHECK rejects a count below zero.
const takeBackOne = query((db, t) =>
  db
    .update(t.delegationDay)
    .set({ requests: sql`${t.delegationDay.requests} - 1` })
    .where(and(eq(t.delegationDay.delegationId, bind("delegationId")), eq(t.delegationDay.day, bind("day"))))
    .returning({ requests: t.delegationDay.requests }),
)
const countedAs = query((db, t) =>
  db
    .select({
      delegationId: t.decisionRequest.delegationId,
      mandateDelegationId: t.decisionRequest.mandateDelegationId,
      amount: t.decisionRequest.amountMillionths,
    })
    .from(t.decisionRequest)
    .where(eq(t.decisionRequest.id, bind("requestId"))),
)

/**
 * What a delegation has authorized so far, including running requests: the total in millionths, and payments since `dayStart`, the first
 * instant of a UTC day.
 */
export function* delegationUse(
  delegationId: string,
  dayStart: string,
): Unit<{ totalMillionths: bigint; requestsToday: number }> {
  const days = yield* rows(daysFrom, { delegationId, day: dayOf(dayStart) })
  return {
    totalMillionths: yield* authorizedTotal(delegationId),
    requestsToday: days.reduce((sum, { requests }) => sum + requests, 0),
  }
}

function* authorizedTotal(delegationId: string): Unit<bigint> {
  return BigInt((yield* first(totalOf, { delegationId }))?.millionths ?? "0")
}

/** Counts a live attempt of the request, made at `attemptAt`: `by` 1 when it becomes live, -1 when it ends. */
export function* countUse(requestId: string, attemptAt: string, by: 1 | -1): Unit<void> {
  const counted = yield* first(countedAs, { requestId })
  if (!counted) throw new Error("an attempt has no request")
  const amount = BigInt(counted.amount ?? "0") * BigInt(by)
  const day = dayOf(attemptAt)
  for (const delegationId of delegationsOf(counted)) {
    const total = (yield* authorizedTotal(delegationId)) + amount
    if (total < 0n) throw new Error("the total of a delegation fell below zero")
    yield* rows(putTotal, { delegationId, millionths: String(total) })
    if (!(yield* first(by === 1 ? countOne : takeBackOne, { delegationId, day }))) {
      throw new Error("a request was not counted on the day it is taken from")
    }
  }
}

/** A request that names one delegation twice counts against it once. */
function delegationsOf({ delegationId, mandateDelegationId }: DelegationsUsed): ReadonlySet<string> {
  return new Set([delegationId, mandateDelegationId].filter((id) => id !== null))
}

function dayOf(instant: string): string {
  return instant.slice(0, "2026-01-01".length)
}
