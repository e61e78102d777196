/**
 * How many payments of a client failed within a minute, over all processes on the database: a client that fails at one of them is limited at each.
 * The counts are rows beside those of the caps that callers share, and their removal removes these too.
 */
import { and, eq, gt, lt, sql } from "drizzle-orm"
import { MINUTE } from "../../core/time.ts"
import { bind, bound, changed, first, query, type Unit, write } from "../engine/unit.ts"

/** Length of a window in milliseconds. It begins with its first failure. */
const WINDOW_MS = MINUTE
/** Not the name of a cap, so it is a count of its own. */
const COUNTED_AS = "FAILED_PAYMENTS"

interface FailedPayments {
  readonly count: number
  /** When the window ends, in milliseconds. */
  readonly endsAt: number
}

const inWindow = query((db, { sharedUse: t }) =>
  db
    .select({ openedAt: t.openedAt, used: t.used })
    .from(t)
    .where(
      and(
        eq(t.cap, bind("cap")),
        eq(t.share, bind("share")),
        gt(t.openedAt, bind("after")),
        lt(t.openedAt, bind("before")),
      ),
    ),
)

const count = write((db, { sharedUse: t }) => {
  const isOpen = sql`${t.openedAt} > ${bind("after")} and ${t.openedAt} < ${bind("before")}`
  return db
    .insert(t)
    .values({ cap: bind("cap"), share: bind("share"), openedAt: bind("at"), used: 1, usedAt: bind("at") })
    .onConflictDoUpdate({
      target: [t.cap, t.share],
      set: {
        used: sql`case when ${isOpen} then ${t.used} + 1 else 1 end`,
        openedAt: sql`case when ${isOpen} then ${t.openedAt} else ${bind("at")} end`,
        usedAt: bound("at"),
      },
    })
})

/** A clock may be behind that of the process that opened the window. A window that begins later than that is of a clock that was wrong. */
function windowsOf(client: string, at: number) {
  return { cap: COUNTED_AS, share: `ADDRESS ${client}`, after: at - WINDOW_MS, before: at + WINDOW_MS }
}

/** Null: none within the last minute. `client`: the rate-limit key of the request. `at` in milliseconds. */
export function* failedPayments(client: string, at: number): Unit<FailedPayments | null> {
  const found = yield* first(inWindow, windowsOf(client, at))
  return found ? { count: found.used, endsAt: Math.min(found.openedAt, at) + WINDOW_MS } : null
}

export function* countFailedPayment(client: string, at: number): Unit<void> {
  yield* changed(count, { ...windowsOf(client, at), at })
}
