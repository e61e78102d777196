/**
 * Limits the requests to a register's service per key. The count is in the database, so that a restart or a second process does not reset
 * it: a service with a limit of 600 in five minutes counts all requests and blocks a caller who exceeds it.
 */
import { and, asc, eq, gt, lt, lte, or, sql } from "drizzle-orm"
import { formatInstant, HOUR, instant, SECOND } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

/** Longest pause. A longer one was written by a clock that ran ahead, and must not block the service for years. */
export const PAUSE_MS_MAX = HOUR

interface BudgetRequest {
  readonly keyDigest: string
  /** Milliseconds. */
  readonly at: number
  readonly requestsMax: number
  readonly windowSeconds: number
}

type Budget =
  | { readonly granted: true }
  /** `reason`: of the pause, or null when the budget is spent. `until` in milliseconds. */
  | { readonly granted: false; readonly until: number; readonly reason: string | null }

const pauseOf = query((db, t) =>
  db
    .select()
    .from(t.registerServicePause)
    .where(eq(t.registerServicePause.keyDigest, bind("keyDigest"))),
)
// Also seconds ahead of the window: a clock that was set back leaves them, and they would never expire.
const purge = query((db, t) =>
  db
    .delete(t.registerRequestCount)
    .where(
      and(
        eq(t.registerRequestCount.keyDigest, bind("keyDigest")),
        or(lt(t.registerRequestCount.second, bind("first")), gt(t.registerRequestCount.second, bind("last"))),
      ),
    )
    .returning({ second: t.registerRequestCount.second }),
)
const counted = query((db, t) =>
  db
    .select({ second: t.registerRequestCount.second, requests: t.registerRequestCount.requests })
    .from(t.registerRequestCount)
    .where(eq(t.registerRequestCount.keyDigest, bind("keyDigest")))
    .orderBy(asc(t.registerRequestCount.second)),
)
const count = query((db, t) =>
  db
    .insert(t.registerRequestCount)
    .values({ keyDigest: bind("keyDigest"), second: bind("second"), requests: 1 })
    .onConflictDoUpdate({
      target: [t.registerRequestCount.keyDigest, t.registerRequestCount.second],
      set: { requests: sql`${t.registerRequestCount.requests} + 1` },
    })
    .returning({ second: t.registerRequestCount.second }),
)
const putPause = query((db, t) =>
  db
    .insert(t.registerServicePause)
    .values({ keyDigest: bind("keyDigest"), until: bind("until"), reason: bind("reason"), failures: bind("failures") })
    .onConflictDoUpdate({
      target: t.registerServicePause.keyDigest,
      set: { until: bound("until"), reason: bound("reason"), failures: bound("failures") },
    })
    .returning({ keyDigest: t.registerServicePause.keyDigest }),
)
const removePause = query((db, t) =>
  db
    .delete(t.registerServicePause)
    .where(and(eq(t.registerServicePause.keyDigest, bind("keyDigest")), lte(t.registerServicePause.until, bind("at"))))
    .returning({ keyDigest: t.registerServicePause.keyDigest }),
)

/**
 * Counts one request before it is sent, or returns until when none may be sent. INVARIANT: a request is counted before it is sent and never
 * uncounted. So a process killed in between has sent one request less than it counted, never one more.
 */
export function* takeRequest({ keyDigest, at, requestsMax, windowSeconds }: BudgetRequest): Unit<Budget> {
  const pause = yield* first(pauseOf, { keyDigest })
  if (pause) {
    const until = instant(pause.until)
    if (isPause(until, at)) return { granted: false, until, reason: pause.reason }
  }
  const second = Math.floor(at / SECOND)
  yield* rows(purge, { keyDigest, first: second - windowSeconds + 1, last: second + windowSeconds })
  const made = yield* rows(counted, { keyDigest })
  const oldest = made[0]
  if (oldest && made.reduce((sum, { requests }) => sum + requests, 0) >= requestsMax) {
    return { granted: false, until: (oldest.second + windowSeconds) * SECOND, reason: null }
  }
  yield* rows(count, { keyDigest, second })
  return { granted: true }
}

/** State of a budget, without counting: the requests in the window, and the current pause. `until` in milliseconds. */
export function* readBudget({ keyDigest, at, windowSeconds }: Omit<BudgetRequest, "requestsMax">): Unit<{
  readonly requests: number
  readonly pause: { readonly until: number; readonly reason: string } | null
}> {
  const second = Math.floor(at / SECOND)
  const made = (yield* rows(counted, { keyDigest })).filter(
    (row) => row.second > second - windowSeconds && row.second <= second + windowSeconds,
  )
  const pause = yield* first(pauseOf, { keyDigest })
  const until = pause ? instant(pause.until) : 0
  return {
    requests: made.reduce((sum, { requests }) => sum + requests, 0),
    pause: pause && isPause(until, at) ? { until, reason: pause.reason } : null,
  }
}

/** Consecutive failures before this one. */
export function* failuresOf(keyDigest: string): Unit<number> {
  return (yield* first(pauseOf, { keyDigest }))?.failures ?? 0
}

/**
 * Pauses all requests with this key, in every process, and returns the end of the pause. `until` in milliseconds, at most
 * {@link PAUSE_MS_MAX} after `at`. Does not shorten a longer pause.
 */
export function* pauseService(
  keyDigest: string,
  pause: { readonly at: number; readonly until: number; readonly reason: string },
): Unit<number> {
  const current = yield* first(pauseOf, { keyDigest })
  const failures = (current?.failures ?? 0) + 1
  const requested = { until: Math.min(pause.until, pause.at + PAUSE_MS_MAX), reason: pause.reason }
  const stands = current ? { until: instant(current.until), reason: current.reason } : requested
  const { until, reason } = stands.until > requested.until && isPause(stands.until, pause.at) ? stands : requested
  yield* rows(putPause, { keyDigest, until: formatInstant(until), reason, failures })
  return until
}

/** Resets the failure count after a response. Keeps a pause that another request has set meanwhile. */
export function* resumeService(keyDigest: string, at: number): Unit<void> {
  yield* rows(removePause, { keyDigest, at: formatInstant(at) })
}

function isPause(until: number, at: number): boolean {
  return until > at && until <= at + PAUSE_MS_MAX
}
